import { isJsonObject, type Json, type JsonObject } from '../../contracts/json.js';
import type { RecordedCall, RecordedValue } from '../../contracts/record.js';
import type { LowLevel } from '../../definitions/formats/low-level.js';
import type { PlannedFile } from '../planned-file.js';
import { renderCases } from '../scaffold/render-cases.js';
import { asksFirst, type Site } from '../scaffold/scaffold.js';

/** What a call was given and what it gave. */
export interface CallExample {
  input: JsonObject;
  output: Json;
  /** Where it is from, for people. */
  from: string;
}

/**
 * The example in a record of a task: the call that ran the script, or else the task itself.
 *
 * @param value `record.json`, or an object with `input` and `output`. @param path of the script. @returns undefined where it holds none.
 */
export function exampleIn(value: unknown, path: string, from: string): CallExample | undefined {
  if (!isJsonObject(value)) return undefined;
  const calls = Array.isArray(value.calls) ? (value.calls as unknown as RecordedCall[]) : [];
  const call = calls.find(({ runs }) => runs?.kind === 'script' && runs.script === path);
  const output = isJsonObject(value.result) ? value.result.output : value.output;
  return exampleOf(call ? [whole(call.given), whole(call.gave)] : [value.input, output], from);
}

function exampleOf([input, output]: (Json | undefined)[], from: string): CallExample | undefined {
  if (!isJsonObject(input) || output === undefined) return undefined;
  return { input, output, from };
}

/** Values that were cut are no example. */
function whole(value: RecordedValue | undefined): Json | undefined {
  return value !== undefined && 'value' in value ? value.value : undefined;
}

/** Whether an operation takes and gives what an example says. */
export function isExampleOf(
  { fits }: Pick<Site, 'fits'>,
  operation: LowLevel,
  { input, output }: CallExample,
): boolean {
  return fits(operation.input_schema, input) && fits(operation.output_schema ?? {}, output);
}

/** The example as a case beside an operation, in which nothing is really called. Source: R-000-91. */
export function caseOf(site: Site, operation: LowLevel, stem: string, example: CallExample): PlannedFile {
  const path = `${stem}.test.yaml`;
  const content = renderCases(site, {
    ability: operation.operation_key,
    path,
    name: `as it was called: ${example.from}`,
    input: example.input,
    mocks: { run: { output: example.output } },
    approvals: asksFirst(site, operation.effects) ? ['run'] : [],
    expect: { output: example.output },
  });
  return { path, content };
}
