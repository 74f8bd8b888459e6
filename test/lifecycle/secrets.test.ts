import { createServer } from "node:http";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, expect, test } from "@jest/globals";
import AdmZip from "adm-zip";
import { decodeText } from "../../handler/text/decode-text.ts";
import { disguises, isSeen, mayWear } from "../handler/text/disguises.ts";
import { generateSecrets, type PlantedSecret } from "../handler/text/generate-secrets.ts";
import { runCommand } from "../support/run-command.ts";
import { createLifecycleMachine, waitForStatus, type LifecycleMachine } from "./lifecycle-machine.ts";

void createServer;
void existsSync;
void readdirSync;
void pause;
void runCommand;
