import type { JsonObject } from '../contracts/json.js';
import type { SourceLocation } from '../contracts/problem.js';
import type { Expectation, MockAnswer, MockHookAnswer, ScriptedDecisions } from '../definitions/formats/cases.js';

/** A test case with its defaults filled in, every name in it checked. */
export interface PreparedCase {
  ability: string;
  name: string;
  /** Where it stands. */
  location: SourceLocation;
  environment: string;
  input: JsonObject;
  /** By step path, step id or operation key. */
  mocks: Record<string, MockAnswer | MockAnswer[]>;
  /** By hook id. */
  hooks: Record<string, MockHookAnswer>;
  /** By step path, step id or approval id. */
  approvals: Record<string, ScriptedDecisions>;
  expect: Expectation;
}
