import { jest } from "@jest/globals";
import { killAtRandomPoints } from "./kill-trials.ts";

// One loss is a loss.
jest.retryTimes(0);

// All of them are a lane: test/lanes/kill.test.ts.
killAtRandomPoints(20);
