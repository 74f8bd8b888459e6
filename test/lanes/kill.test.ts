import { jest } from "@jest/globals";
import { faultPlan } from "../faults/fault-plan.ts";
import { killAtRandomPoints } from "../lifecycle/kill-trials.ts";

// One loss is a loss.
jest.retryTimes(0);

// One trial is both.
killAtRandomPoints(Math.max(faultPlan.killAny.tries, faultPlan.twoEnables.tries));
