# The image of every component of the chart. `make docker-build` builds it with docker, podman or buildah.
#
# The base by its digest: docker.io/library/python@sha256:…. There is no default, as a tag is something else tomorrow; hack/image looks up what
# python:3.11-slim-bookworm is today. Any image with Python 3.11 or newer will do.
ARG PYTHON_IMAGE

FROM ${PYTHON_IMAGE} AS build
# Clouds whose SDKs are to be in it, with spaces between: aws azure gcp ibmcloud vsphere. None: no peer pods are deleted.
ARG EXTRAS=""
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PIP_ROOT_USER_ACTION=ignore
WORKDIR /source
RUN python3 -m venv /opt/windlass
COPY requirements/ requirements/
# Wheels alone: nothing is compiled, so that no compiler is needed.
RUN set -eu; \
    /opt/windlass/bin/pip install --quiet --require-hashes --only-binary=:all: -r requirements/runtime.txt; \
    for extra in ${EXTRAS}; do \
        /opt/windlass/bin/pip install --quiet --require-hashes --only-binary=:all: -r "requirements/${extra}.txt"; \
    done
# What builds our own wheel stays outside of the environment that is shipped.
RUN python3 -m venv /opt/build && /opt/build/bin/pip install --quiet --require-hashes --only-binary=:all: -r requirements/build.txt
COPY pyproject.toml README.md LICENSE ./
COPY apis/ apis/
COPY framework/ framework/
COPY controllers/ controllers/
# Compiled here: the file system of a container is read-only, and compiling at each start would take longer than starting.
RUN set -eu; \
    /opt/build/bin/pip wheel --quiet --no-deps --no-build-isolation --wheel-dir /wheels .; \
    /opt/windlass/bin/pip install --quiet --no-deps --no-index /wheels/*.whl; \
    /opt/windlass/bin/pip uninstall --quiet --yes pip setuptools
# Large parts of others that nothing here imports: of the package `kubernetes` everything but what loads credentials, and
# extensions of CEL that Kubernetes does not have. What is not there any more fails the build; so does what is missed, at the end.
RUN set -eu; \
    cd /opt/windlass/lib/python3*/site-packages; \
    rm -r kubernetes/aio kubernetes/client/api kubernetes/client/apis kubernetes/client/models; \
    for extension in bindings encoders math proto strings; do rm cel_expr_python/ext/ext_${extension}.*; done; \
    find . -name '*.pyi' -delete; \
    /opt/windlass/bin/python -c 'from framework.client import package_config; package_config.incluster_config(), package_config.kube_config()'; \
    /opt/windlass/bin/python -c 'from framework.apiserver.cel import parser; from cel_expr_python.ext import ext_optional'; \
    /opt/windlass/bin/windlass -help >/dev/null; \
    /opt/windlass/bin/python -m compileall -q -j 0 --invalidation-mode unchecked-hash /opt/windlass/lib

FROM ${PYTHON_IMAGE}
ARG PYTHON_IMAGE
ARG VERSION=0.1.0
ARG REVISION=""
LABEL org.opencontainers.image.title="windlass" \
      org.opencontainers.image.description="Kubernetes controllers written in Python" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.base.name="${PYTHON_IMAGE}"
ENV PATH=/opt/windlass/bin:${PATH} \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    HOME=/tmp
COPY --from=build /opt/windlass /opt/windlass
USER 65532:65532
WORKDIR /tmp
ENTRYPOINT ["windlass"]
