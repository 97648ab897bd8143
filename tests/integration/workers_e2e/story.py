"""From `wrangler deploy` to an answer, and back to nothing: told once, for the test and for the demo."""

import json
from collections.abc import Callable

from tests.component.cfapi.wrangler import Wrangler
from tests.integration.workers_e2e.world import World

SECRET = "s3cr3t-of-the-story"
_HELLO = """
export default {
  fetch(request, env) { return new Response(`%s, ${env.API_KEY ? "with a key of " + env.API_KEY.length : "no key"}`); },
};
"""
_GREETER = """
export default {
  async fetch(request, env) {
    const answer = await env.HELLO.fetch(request);
    return new Response(`${env.GREETING}: ${await answer.text()}`);
  },
};
"""
Say = Callable[[str], None]


def tell(world: World, say: Say) -> None:
    hello, greeter = world.wrangler("hello"), world.wrangler("greeter")
    first = _first_deploy(world, hello, greeter, say)
    _secret(world, hello, say)
    second = _second_deploy(world, hello, say)
    _rollback(world, hello, first, second, say)
    _delete(world, hello, greeter, say)


def _version(world: World, script: str) -> str:
    return world.deployment(script).spec.template.version_id


def _show(world: World, say: Say) -> dict[str, str]:
    answers = world.answers()
    for worker in world.bundle.spec.workers:
        say(f"port {worker.worker_number}, {worker.worker_name}: {answers[worker.worker_name]}")
    return answers


def _first_deploy(world: World, hello: Wrangler, greeter: Wrangler, say: Say) -> str:
    say("wrangler deploy, of two workers: greeter calls hello")
    hello.write("hello", _HELLO % "hello one")
    services = [{"binding": "HELLO", "service": "hello"}]
    greeter.write("greeter", _GREETER, services=services, vars={"GREETING": "greeter heard"})
    hello("deploy")
    greeter("deploy")
    first = _version(world, "hello")
    world.wait_served("hello", first)
    world.wait_served("greeter", _version(world, "greeter"))
    say(f"image {world.served.image}")
    answers = _show(world, say)
    assert answers == {"hello": "hello one, no key", "greeter": "greeter heard: hello one, no key"}
    return first


def _secret(world: World, hello: Wrangler, say: Say) -> None:
    say("wrangler secret put API_KEY")
    before = world.served.digest
    hello("secret", "put", "API_KEY", stdin=SECRET)
    world.wait(lambda: world.served.digest != before, "no image knows of the new secret")
    answers = _show(world, say)
    assert answers["hello"] == f"hello one, with a key of {len(SECRET)}"


def _second_deploy(world: World, hello: Wrangler, say: Say) -> str:
    say("wrangler deploy, again")
    before = world.served
    hello.write("hello", _HELLO % "hello two")
    hello("deploy")
    second = _version(world, "hello")
    world.wait_served("hello", second)
    answers = _show(world, say)
    assert answers["greeter"] == f"greeter heard: hello two, with a key of {len(SECRET)}"
    world.wait(lambda: not world.has_image(before), "the image before is still in the registry")
    say("the image before has been purged")
    return second


def _rollback(world: World, hello: Wrangler, first: str, second: str, say: Say) -> None:
    say("wrangler rollback")
    hello("rollback", first, "--yes")
    world.wait_served("hello", first)
    answers = _show(world, say)
    assert answers["hello"] == f"hello one, with a key of {len(SECRET)}"
    listed = json.loads(hello("deployments", "list", "--json"))
    assert [entry["versions"][0]["version_id"] for entry in listed] == [first, second, first]


def _delete(world: World, hello: Wrangler, greeter: Wrangler, say: Say) -> None:
    say("wrangler delete, of both")
    last = world.served
    greeter("delete", "--force")
    hello("delete", "--force")
    world.wait(lambda: not world.bundle.spec.workers, "the bundle still has workers")
    world.wait(lambda: not world.is_anything_deployed, "the Deployment is still there")
    world.wait(lambda: not world.stored, "the code is still in the bucket")
    world.wait(lambda: not world.has_image(last), "the last image is still in the registry")
    say("no Deployment, no code and no image is left")
