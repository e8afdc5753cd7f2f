import type { Json, JsonObject } from '../contracts/json.js';
import type { SourceLocation } from '../contracts/problem.js';
import type { Expectation, MockAnswer, MockHookAnswer, ScriptedDecisions } from '../definitions/formats/cases.js';

/** A test case with its defaults filled in, every name in it checked. */
export interface PreparedCase {
  ability: string;
  name: string;
  location: SourceLocation;
  environment: string;
  input: JsonObject;
  /** Initial value of `now()`, ms since 1970; undefined: the time of the test server. */
  now: number | undefined;
  /** By step path, step id or operation key. */
  mocks: Record<string, MockAnswer | MockAnswer[]>;
  /** By hook id. */
  hooks: Record<string, MockHookAnswer>;
  /** By step path, step id or approval id. */
  approvals: Record<string, ScriptedDecisions>;
  /** Sent in this order, each when a step waits for it. */
  signals: { name: string; payload: Json }[];
  /** The signal that a step waits for, by `waitKey`. */
  waits: ReadonlyMap<string, string>;
  expect: Expectation;
}
