"""Controllers, their user and their API server in one thread, where every crash and every lost answer can be tried.

Guarantees: one task runs at a time and a seed decides which, so the same seed gives the same trace, byte for byte; a
process that crashes runs no more code, not even its cleanup, and its successor knows nothing; time passes only when
nobody can run, so a run takes milliseconds; a failure names the plan that repeats it.
Not guaranteed: what is not behind the seams (Clock, Runtime, Random, Transport) is not simulated: a controller that
asks the system's clock or opens a socket of its own does so.
"""

from framework.testing.simulation.acto import Campaign, campaign
from framework.testing.simulation.acts import Act
from framework.testing.simulation.bounds import Limits
from framework.testing.simulation.enumeration import enumerated_plans
from framework.testing.simulation.mixes import random_plans
from framework.testing.simulation.outcome import Outcome, Violation
from framework.testing.simulation.plan import Fault, Plan, plan_from
from framework.testing.simulation.scenario import Outside, Register, Scenario, User
from framework.testing.simulation.scheduler import Stuck
from framework.testing.simulation.simulate import Failure, Report, Simulation, SimulationFailed, simulate
from framework.testing.simulation.workers import Workers

__all__ = [
    "Act",
    "Campaign",
    "Failure",
    "Fault",
    "Limits",
    "Outcome",
    "Outside",
    "Plan",
    "Register",
    "Report",
    "Scenario",
    "Simulation",
    "SimulationFailed",
    "Stuck",
    "User",
    "Violation",
    "Workers",
    "campaign",
    "enumerated_plans",
    "plan_from",
    "random_plans",
    "simulate",
]
