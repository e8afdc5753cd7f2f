import type { Json, JsonObject } from '../../../contracts/json.js';
import { listOf, memberOf, type Part, partOf, textOf } from '../openapi/document-parts.js';
import { type Action, ANY_FAILURE, actionsOf, failureCodes, joinBy, NOT_MET, resolveReusable } from './actions.js';
import type { AnswerForm } from './answer-form.js';
import { translateCriteria } from './criteria.js';
import type { KnownOperation } from './find-operation.js';
import { NotTranslated } from './not-translated.js';
import { readInputs } from './operation-inputs.js';
import { type Answer, type Reading, readOperand, readValue } from './reading.js';
import { type CelValue, select, selectOptional, template } from './write-cel.js';

export interface StepPlace {
  document: Part;
  workflow: Part;
  step: Part;
  stepId: string;
  /** Id of the translated step. */
  id: string;
  place: string;
  /** Whether a jump may skip it. */
  maySkip: boolean;
  /** Condition under which it runs, if jumps may skip it. */
  runs: string | undefined;
  reading: Omit<Reading, 'place' | 'answer'>;
}

export type Callee = { operation: KnownOperation; form: AnswerForm } | { ability: string };

export interface Course {
  callee(step: Part, place: string): Callee;
  /** Id of the step to jump to. @throws NotTranslated for one that is not later. */
  target(stepId: string, from: string, place: string): string;
  /** Makes the outputs of a step available to later steps. */
  gave(stepId: string, outputs: ReadonlyMap<string, CelValue>): void;
  /** Steps that end the task with the current outputs of the workflow. */
  end(id: string, from: string): JsonObject;
  ability(workflowId: string, place: string): string;
}

export interface TranslatedStep {
  steps: JsonObject[];
  /** Possible jumps: the condition of each, and its target. */
  jumps: { when: string; to: string }[];
}

/** Translates one step. @throws NotTranslated */
export function translateStep(at: StepPlace, course: Course): TranslatedStep {
  const { step, id, place } = at;
  for (const key of ['channelPath', 'correlationId', 'action']) {
    if (memberOf(step, key) !== undefined) throw new NotTranslated(`messages (\`${key}\`) cannot be translated`, place);
  }
  const callee = course.callee(step, place);
  const parameters = parametersOf(at);
  const answer = answerOf(id, callee, parameters, { ...at.reading, place });
  const reading: Reading = { ...at.reading, place, answer };
  const outside: Reading = { ...at.reading, place };
  const call: JsonObject = {
    id,
    call: 'form' in callee ? callee.form.key : callee.ability,
    ...withOf(callee, parameters, memberOf(step, 'requestBody'), outside),
  };
  refuseFailedStatuses(memberOf(step, 'successCriteria'), `${place}.successCriteria`);
  const criteria = translateCriteria(memberOf(step, 'successCriteria'), {
    ...reading,
    place: `${place}.successCriteria`,
  });
  const check: JsonObject[] =
    criteria === undefined
      ? []
      : [
          {
            id: `${id}_check`,
            if: `!(${criteria})`,
            fail: { code: NOT_MET, message: `The success criteria of ${id} do not hold` },
          },
        ];
  const failure = actionsOf(at.document, at.workflow, step, 'failure', place);
  const timeout = timeoutOf(step, place);
  const body = wrapped(at, [call, ...check], failure, timeout, course);
  const success = actionsOf(at.document, at.workflow, step, 'success', place);
  const outputs = Object.entries(partOf(memberOf(step, 'outputs'))).map(([name, value]): [string, CelValue] => [
    name,
    readOperand(value, { ...reading, place: `${place}.outputs.${name}` }),
  ]);
  const mayBeAbsent = at.maySkip || body.isHandled;
  const known = new Map(outputs.map(([name, value]) => [name, mayBeAbsent ? unlessSkipped(id, value) : value]));
  // Later parts of the step, such as an end, may read its output.
  course.gave(at.stepId, known);
  const further = translateSuccess(at, success, reading, body.isHandled, course);
  return { steps: [...body.steps, ...further.steps], jumps: [...body.jumps, ...further.jumps] };
}

/** Condition that readers of a step which may be skipped test first. */
function hasRun(id: string): string {
  return `steps.${id}.status == "succeeded"`;
}

/** Refuses criteria that expect a status from 300 on: such an answer fails the call. */
function refuseFailedStatuses(criteria: unknown, place: string): void {
  for (const [index, criterion] of listOf(criteria).entries()) {
    const [found] = /\$statusCode\s*==\s*[3-5]\d\d/.exec(String(memberOf(criterion, 'condition'))) ?? [];
    if (found === undefined) continue;
    throw new NotTranslated(
      `\`${found}\` is no success here: an answer from 300 on fails the call`,
      `${place}[${index}]`,
    );
  }
}

/** A skipped step gives no value. */
function unlessSkipped(id: string, { cel, optional }: CelValue): CelValue {
  const value = optional ? cel : `optional.of(${cel})`;
  return { cel: `(steps.${id}.output == null ? optional.none() : ${value})`, optional: true };
}

function parametersOf({ document, workflow, step, place }: StepPlace): Part[] {
  const isChild = memberOf(step, 'workflowId') !== undefined;
  const shared = resolveReusable(document, memberOf(workflow, 'parameters'), 'parameters', 'parameters');
  const own = resolveReusable(document, memberOf(step, 'parameters'), 'parameters', `${place}.parameters`);
  return joinBy((one) => `${isChild ? '' : String(memberOf(one, 'in'))} ${String(memberOf(one, 'name'))}`, shared, own);
}

function withOf(callee: Callee, parameters: Part[], requestBody: unknown, reading: Reading): { with?: Json } {
  const input =
    'form' in callee
      ? readInputs(callee.operation, parameters, requestBody, reading)
      : inputsOfChild(parameters, reading);
  return Object.keys(input).length > 0 ? { with: input } : {};
}

/** Passes all parameters as inputs of the called workflow. */
export function inputsOfChild(parameters: readonly Part[], reading: Reading): JsonObject {
  return Object.fromEntries(
    parameters.map((parameter, index): [string, Json] => {
      const at = { ...reading, place: `${reading.place}.parameters[${index}]` };
      const name = textOf(memberOf(parameter, 'name'));
      if (name === undefined) throw new NotTranslated('it has no name', at.place);
      return [name, readValue(memberOf(parameter, 'value'), at)];
    }),
  );
}

function timeoutOf(step: Part, place: string): { timeout?: string } {
  const timeout = memberOf(step, 'timeout');
  if (timeout === undefined) return {};
  if (typeof timeout === 'number' && Number.isInteger(timeout) && timeout > 0) return { timeout: `${timeout}ms` };
  throw new NotTranslated('its timeout is no number of milliseconds', place);
}

function answerOf(id: string, callee: Callee, parameters: Part[], reading: Reading): Answer {
  const output = `steps.${id}.output`;
  if (!('form' in callee)) {
    const none = 'is about an answer over HTTP, and the step calls a workflow';
    return {
      ...{ status: none, body: none, method: none, header: () => none, request: () => none },
      output: (name) => ({ cel: selectOptional(output, name), optional: true }),
    };
  }
  const { form, operation } = callee;
  const method = memberOf(memberOf(memberOf(operation.definition, 'implementation'), 'api'), 'method') ?? 'GET';
  return {
    status: { cel: `${output}.status`, optional: false },
    body: form.noBody ?? { cel: `${output}${form.body}`, optional: false },
    method: { cel: JSON.stringify(method), optional: false },
    header: (name) => ({ cel: selectOptional(`${output}.headers`, spelled(form, name)), optional: true }),
    output: () => 'is an output of a workflow, and the step calls an operation',
    request: (place, name) => {
      const same = (one: unknown): boolean =>
        place === 'header' ? String(one).toLowerCase() === name.toLowerCase() : one === name;
      const found = parameters.find((one) => memberOf(one, 'in') === place && same(memberOf(one, 'name')));
      return found ? readOperand(memberOf(found, 'value'), reading) : 'is not among the parameters of the step';
    },
  };
}

/** A header name as the definition spells it, which is its key in the output. */
function spelled({ definition }: AnswerForm, name: string): string {
  const headers = memberOf(memberOf(memberOf(memberOf(definition, 'implementation'), 'api'), 'response'), 'headers');
  const list = Array.isArray(headers) ? headers.map(String) : [];
  return list.find((one) => one.toLowerCase() === name.toLowerCase()) ?? name;
}

/** The call with its checks, as a group if failures are handled. */
function wrapped(at: StepPlace, steps: JsonObject[], failure: Action[], timeout: { timeout?: string }, course: Course) {
  const runs: JsonObject = at.runs === undefined ? {} : { if: at.runs };
  const [call, ...check] = steps as [JsonObject, ...JsonObject[]];
  if (failure.length === 0) {
    const guarded = check.map((one) => ({
      ...one,
      if: at.runs === undefined ? (one.if as string) : `${hasRun(at.id)} && ${one.if as string}`,
    }));
    return { steps: [{ ...insertIf(call, runs), ...timeout }, ...guarded], jumps: [], isHandled: false };
  }
  const group = `${at.id}_attempts`;
  const { retry, handlers, jumps } = translateFailure(at, failure, group, course);
  // The group retries, so the call does not.
  const inner = retry ? [{ ...call, retry: { attempts: 1 } }, ...check] : steps;
  const whole: JsonObject = {
    ...{ id: group, ...runs, ...timeout, steps: inner },
    ...(retry && { retry }),
    ...(handlers.length > 0 && { on_error: handlers }),
  };
  return { steps: [whole], jumps, isHandled: jumps.length > 0 };
}

function insertIf({ id, ...rest }: JsonObject, runs: JsonObject): JsonObject {
  return { id: id as string, ...runs, ...rest };
}

function translateFailure(at: StepPlace, actions: Action[], group: string, course: Course) {
  let retry: JsonObject | undefined;
  const handlers: JsonObject[] = [];
  const jumps: TranslatedStep['jumps'] = [];
  for (const [index, action] of actions.entries()) {
    const { type, place } = action;
    const errors = failureCodes(action.criteria, `${place}.criteria`);
    const named: JsonObject = errors ? { errors } : {};
    if (type === 'retry') {
      if (retry !== undefined || index > 0)
        throw new NotTranslated('a retry behind another action cannot be translated', place);
      if (action.stepId ?? action.workflowId) {
        throw new NotTranslated(
          `a retry that first goes to ${action.stepId ?? action.workflowId} cannot be translated`,
          place,
        );
      }
      retry = retryOf(action, errors);
    } else if (type === 'end') {
      // Rethrown: a task that ends here has failed.
      handlers.push({ ...named, rethrow: true });
    } else if (action.stepId !== undefined) {
      const to = course.target(action.stepId, at.stepId, place);
      handlers.push({ ...named, output: { to } });
      jumps.push({ when: `steps.${group}.error != null && steps.${group}.output.to == ${JSON.stringify(to)}`, to });
    } else handlers.push({ ...named, steps: transferTo(at, action, `${at.id}_failed_${index + 1}`, course) });
    if (errors === undefined && type !== 'retry') break;
  }
  return { retry, handlers, jumps };
}

function retryOf({ retryAfter, retryLimit, place }: Action, errors: string[] | undefined): JsonObject {
  if (retryLimit > 99)
    throw new NotTranslated(`${retryLimit} attempts are more than the 99 that a retry can have`, place);
  const wait = `${Math.round(retryAfter * 1000)}ms`;
  return {
    attempts: retryLimit + 1,
    first: wait,
    factor: 1,
    max: wait,
    errors: errors ?? [...ANY_FAILURE],
  };
}

/** A one-way transfer: the task ends with the output of the other workflow. */
function transferTo(
  at: StepPlace,
  { workflowId = '', parameters, place }: Action,
  id: string,
  course: Course,
): JsonObject[] {
  const input = inputsOfChild(parameters, { ...at.reading, place });
  return [
    { id, call: course.ability(workflowId, place), ...(Object.keys(input).length > 0 && { with: input }) },
    { id: `${id}_end`, end: { output: template({ cel: `steps.${id}.output` }) } },
  ];
}

function translateSuccess(at: StepPlace, actions: Action[], reading: Reading, isHandled: boolean, course: Course) {
  const steps: JsonObject[] = [];
  const jumps: TranslatedStep['jumps'] = [];
  // The first action whose criteria hold is taken, so each excludes those before it.
  const before: string[] = [
    ...(at.runs === undefined && !isHandled ? [] : [hasRun(at.id)]),
    ...(isHandled ? [`steps.${at.id}_attempts.error == null`] : []),
  ];
  for (const [index, action] of actions.entries()) {
    const { place } = action;
    const criteria = translateCriteria(action.criteria, { ...reading, place: `${place}.criteria` });
    const when = [...before, ...(criteria === undefined ? [] : [`(${criteria})`])].join(' && ');
    const guard: JsonObject = when === '' ? {} : { if: when };
    const id = `${at.id}_then_${index + 1}`;
    if (action.type === 'end') steps.push({ ...insertIf(course.end(id, at.stepId), guard) });
    else if (action.stepId !== undefined) {
      const to = course.target(action.stepId, at.stepId, place);
      steps.push({ id, let: { taken: when === '' ? true : template({ cel: when }) } });
      jumps.push({ when: `${select(`steps.${id}.output`, 'taken')} == true`, to });
    } else steps.push({ id, ...guard, steps: transferTo(at, action, `${id}_call`, course) });
    if (criteria === undefined) break;
    before.push(`!(${criteria})`);
  }
  return { steps, jumps };
}
