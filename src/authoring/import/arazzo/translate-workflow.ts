import type { JsonObject } from '../../../contracts/json.js';
import { RESERVED_NAMES } from '../../../contracts/names.js';
import {
  cleanText,
  isPart,
  listOf,
  memberOf,
  NotExpressible,
  type Part,
  partOf,
  textOf,
} from '../openapi/document-parts.js';
import { SchemaReader } from '../openapi/schema-closure.js';
import { NotTranslated } from './not-translated.js';
import { type Reading, readOperand } from './reading.js';
import { type Callee, type Course, translateStep } from './translate-step.js';
import { type CelValue, selectOptional, template } from './write-cel.js';

export interface DocumentCourse {
  document: Part;
  callee(step: Part, place: string): Callee;
  /** Id of the ability that a workflow becomes. @throws NotTranslated if it becomes none. */
  ability(workflowId: string, place: string): string;
  requiredInputs(workflowId: string): string[];
  note(text: string): void;
}

/** @throws NotTranslated with the place of the untranslatable part. */
export function translateWorkflow(key: string, workflow: Part, course: DocumentCourse): JsonObject {
  const workflowId = String(memberOf(workflow, 'workflowId'));
  const input = inputSchema(course.document, memberOf(workflow, 'inputs'));
  const steps = listOf(memberOf(workflow, 'steps')).filter(isPart);
  if (steps.length === 0) throw new NotTranslated('it has no steps', '');
  const ids = new StepIds(steps);
  const outputs = new Map<string, ReadonlyMap<string, CelValue>>();
  const before = dependedOn(workflow, course, ids);
  const reading: Omit<Reading, 'place' | 'answer'> = {
    note: course.note,
    givenInputs: input.given,
    stepOutput(step, output) {
      if (!ids.has(step)) return `names a step that ${workflowId} does not have`;
      const known = outputs.get(step);
      if (!known) return 'names a step that has not run before it';
      return known.get(output) ?? `names an output that the step ${step} does not have`;
    },
    workflowOutput(other, output) {
      const id = before.ids.get(other);
      if (id === undefined) return `names a workflow that ${workflowId} does not depend on (\`dependsOn\`)`;
      return { cel: selectOptional(`steps.${id}.output`, output), optional: true };
    },
  };
  const translated: JsonObject[] = [...before.steps];
  const jumps: { when: string; from: number; to: number }[] = [];
  const result = (place: string, only?: string): JsonObject =>
    resultOf(workflow, { ...reading, place }, only === undefined ? undefined : outputs);
  const own: Course = {
    callee: course.callee,
    ability: course.ability,
    gave: (stepId, known) => void outputs.set(stepId, known),
    target(stepId, from, place) {
      const [at, to] = [ids.indexOf(from), ids.indexOf(stepId)];
      if (to < 0) throw new NotTranslated(`there is no step ${stepId}`, place);
      if (to <= at)
        throw new NotTranslated(`it goes back to ${stepId}, and only what comes later can be gone to`, place);
      return ids.of(stepId);
    },
    end: (id, from) => ({ id, end: { output: result(`outputs (at ${from})`, from) } }),
  };
  for (const [index, step] of steps.entries()) {
    const stepId = String(memberOf(step, 'stepId'));
    const place = `steps.${stepId}`;
    refuseDependencies(
      step,
      ids,
      outputs,
      jumps.some(({ from, to }) => from < index && to > index),
      place,
    );
    const over = jumps.filter(({ to }) => to > index).map(({ when }) => `!(${when})`);
    const done = translateStep(
      {
        ...{ document: course.document, workflow, step, stepId, id: ids.of(stepId), place, reading },
        maySkip: over.length > 0,
        runs: over.length > 0 ? over.join(' && ') : undefined,
      },
      own,
    );
    translated.push(...done.steps);
    for (const { when, to } of done.jumps) jumps.push({ when, from: index, to: ids.indexOfId(to) });
  }
  const summary = textOf(memberOf(workflow, 'summary')) ?? textOf(memberOf(workflow, 'description')) ?? workflowId;
  const description = textOf(memberOf(workflow, 'description'));
  const output = result('outputs');
  return {
    id: key,
    type: 'workflow',
    version: 1,
    summary: cleanText(summary, 1000),
    ...(description !== undefined && description !== summary && { scenarios: [cleanText(description, 1000)] }),
    input_schema: input.schema,
    steps: translated,
    ...(Object.keys(output).length > 0 && { output }),
  };
}

/** @param outputs of the steps so far; outputs of later steps are left out. Undefined: all exist. */
function resultOf(workflow: Part, reading: Reading, outputs: ReadonlyMap<string, unknown> | undefined): JsonObject {
  const entries = Object.entries(partOf(memberOf(workflow, 'outputs'))).flatMap(([name, value]) => {
    const at = { ...reading, place: `${reading.place}.${name}` };
    if (outputs && typeof value === 'string') {
      const [, step] = /^\$steps\.([A-Za-z0-9_-]+)\./.exec(value) ?? [];
      if (step !== undefined && !outputs.has(step)) return [];
    }
    return [[name, template(readOperand(value, at))]];
  });
  return Object.fromEntries(entries) as JsonObject;
}

function inputSchema(document: Part, inputs: unknown): { schema: JsonObject; given: ReadonlySet<string> } {
  if (inputs === undefined) return { schema: { type: 'object', additionalProperties: false }, given: new Set() };
  try {
    const { schema, $defs } = new SchemaReader(document).close('request', (convert) => convert(inputs));
    const whole: JsonObject = { ...schema, ...(Object.keys($defs).length > 0 && { $defs }) };
    const root = schemaAtRoot(document, inputs);
    const defaults = Object.entries(partOf(memberOf(root, 'properties'))).filter(
      ([, part]) => memberOf(part, 'default') !== undefined,
    );
    const given = [...listOf(memberOf(root, 'required')).map(String), ...defaults.map(([name]) => name)];
    return { schema: withDefaults(whole, defaults), given: new Set(given) };
  } catch (error) {
    if (error instanceof NotExpressible) throw new NotTranslated(error.message, 'inputs');
    throw error;
  }
}

/** Writes defaults into the schema; only those of inputs at its root are known. */
function withDefaults(schema: JsonObject, defaults: [string, unknown][]): JsonObject {
  const properties = partOf(schema.properties);
  const known = defaults.filter(([name]) => isPart(properties[name]));
  if (known.length === 0) return schema;
  const filled = known.map(([name, part]) => [
    name,
    { ...partOf(properties[name]), default: memberOf(part, 'default') },
  ]);
  return { ...schema, properties: { ...properties, ...Object.fromEntries(filled) } as JsonObject };
}

/** The schema of the inputs; of a referenced one only its `required`. */
function schemaAtRoot(document: Part, inputs: unknown): unknown {
  const reference = memberOf(inputs, '$ref');
  if (typeof reference !== 'string') return inputs;
  const [, name] = /^#\/components\/inputs\/([^/]+)$/.exec(reference) ?? [];
  const target = name === undefined ? undefined : memberOf(memberOf(memberOf(document, 'components'), 'inputs'), name);
  // A default cannot be written into a referenced schema, so that an input with one may be absent.
  return isPart(target) ? { required: memberOf(target, 'required') } : {};
}

/** Calls the workflows of `dependsOn` first. */
function dependedOn(workflow: Part, course: DocumentCourse, ids: StepIds) {
  const steps: JsonObject[] = [];
  const known = new Map<string, string>();
  for (const [index, listed] of listOf(memberOf(workflow, 'dependsOn')).entries()) {
    const place = `dependsOn[${index}]`;
    const name = String(listed);
    const required = course.requiredInputs(name);
    if (required.length > 0) {
      throw new NotTranslated(`${name} must have ${required.join(', ')}, which nothing gives it`, place);
    }
    const id = ids.free(`before_${name}`);
    steps.push({ id, call: course.ability(name, place) });
    known.set(name.split('.').at(-1) ?? name, id);
  }
  return { steps, ids: known };
}

/** Refuses a dependency that does not come before its step, or may be skipped. */
function refuseDependencies(
  step: Part,
  ids: StepIds,
  outputs: ReadonlyMap<string, unknown>,
  maySkip: boolean,
  place: string,
): void {
  for (const listed of listOf(memberOf(step, 'dependsOn'))) {
    const name = String(listed);
    const at = `${place}.dependsOn`;
    if (!ids.has(name)) throw new NotTranslated(`${name} is no step of this workflow`, at);
    if (!outputs.has(name)) throw new NotTranslated(`${name} comes later, and steps run in their order`, at);
    if (maySkip) throw new NotTranslated('a step that may be passed over depends on others', at);
  }
}

/** Words of CEL, which step ids cannot be. */
const CEL_WORDS: ReadonlySet<string> = new Set(['in', 'true', 'false', 'null']);

/** Maps step ids to unique ids of letters, digits and `_`. */
class StepIds {
  private readonly ids = new Map<string, string>();
  private readonly taken = new Set<string>();

  constructor(steps: readonly Part[]) {
    for (const step of steps) {
      const stepId = textOf(memberOf(step, 'stepId'));
      if (stepId === undefined) throw new NotTranslated('a step has no stepId', 'steps');
      if (this.ids.has(stepId)) throw new NotTranslated(`the stepId ${stepId} occurs twice`, 'steps');
      this.ids.set(stepId, this.free(stepId));
    }
  }

  has(stepId: string): boolean {
    return this.ids.has(stepId);
  }

  of(stepId: string): string {
    return this.ids.get(stepId) ?? '';
  }

  indexOf(stepId: string): number {
    return [...this.ids.keys()].indexOf(stepId);
  }

  indexOfId(id: string): number {
    return [...this.ids.values()].indexOf(id);
  }

  free(name: string): string {
    const slug = name.replaceAll(/[^A-Za-z0-9_]+/g, '_').slice(0, 60);
    const isWord = CEL_WORDS.has(slug) || RESERVED_NAMES.has(slug);
    const base = /^[A-Za-z_]/.test(slug) && !isWord ? slug : `step_${slug}`;
    let id = base;
    for (let count = 2; this.taken.has(id); count += 1) id = `${base}_${count}`;
    this.taken.add(id);
    return id;
  }
}
