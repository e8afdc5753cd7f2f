import type { Tool } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { JsonObject } from '../../contracts/json.js';
import { ability, ownSession } from '../../operations/concerns.js';
import { withinRight } from '../../operations/run-operation.js';
import { describeAbility, describeInput } from './describe-ability.js';
import { type Access, askedOf, type ToolAnswer, type ToolCall } from './mcp-door.js';
import { plan, planInput } from './plan-ability.js';
import { prompt, promptInput } from './prompt-session.js';
import { readArguments } from './read-arguments.js';
import { createInput, createOnly, runAbility, runInput } from './run-ability.js';
import { search, searchInput } from './search-abilities.js';
import {
  cancel,
  listOwnApprovals,
  orderInput,
  resultInput,
  runTasks,
  setInput,
  setTask,
  taskInput,
  taskResult,
  taskStatus,
} from './task-tools.js';

export interface DoorTool {
  listed: Tool;
  /** Whether it waits for the end of a task, so that it may answer with the task instead. */
  isLong: boolean;
  /** @throws AbilityError `input.invalid`, and what the tool throws. */
  run(call: ToolCall, input: unknown): Promise<ToolAnswer>;
}

interface Form<Schema extends z.ZodType> {
  access: Access;
  /** What its access must hold for: the ability in `id`; tasks, which `findTask` checks; the caller's own session; what it lists. */
  concerns: 'ability' | 'tasks' | 'session' | 'each';
  description: string;
  input: Schema;
  output: JsonObject;
  annotations: Tool['annotations'];
  isLong?: boolean;
  run(call: ToolCall, input: z.output<Schema>): Promise<ToolAnswer>;
}

const READS = { readOnlyHint: true, openWorldHint: false };
const LIST = { type: 'array' };
const TEXT = { type: 'string' };
/** Includes refusals, whose status is `refused`. */
const TASK = {
  type: 'object',
  properties: { status: TEXT, task: TEXT, output: {}, code: TEXT, reason: TEXT, next: TEXT },
  required: ['status'],
};
const ADDS = { readOnlyHint: false, destructiveHint: false };
const DESTROYS = { readOnlyHint: false, destructiveHint: true };
const outputOf = (properties: JsonObject): JsonObject => ({ type: 'object', properties });
const STATE = outputOf({ status: TEXT, task: TEXT, code: TEXT, reason: TEXT });

const TOOLS: Record<string, Form<never>> = {
  ability_search: form({
    access: 'read',
    concerns: 'each',
    description: 'Abilities that fit a request: reason, score, effects, missing inputs.',
    input: searchInput,
    output: outputOf({ abilities: LIST, nothing_fits: { type: 'boolean' }, nearest: LIST, ask: TEXT }),
    annotations: READS,
    run: search,
  }),
  ability_describe: form({
    access: 'read',
    concerns: 'ability',
    description: 'Input and output schema of an ability, its guards, who approves.',
    input: describeInput,
    output: outputOf({
      id: TEXT,
      input_schema: { type: 'object' },
      effects: TEXT,
      guards: LIST,
      approvals: LIST,
    }),
    annotations: READS,
    run: describeAbility,
  }),
  ability_plan: form({
    access: 'read',
    concerns: 'ability',
    description: 'What ability_run would do with this input; runs nothing.',
    input: planInput,
    output: outputOf({ status: TEXT, reference: TEXT, problems: LIST, guards: LIST, approvals: LIST, calls: LIST }),
    annotations: READS,
    run: plan,
  }),
  ability_run: form({
    access: 'run',
    concerns: 'ability',
    description:
      'Run an ability as a durable task, under guards and approvals. Answers with its end, or after 5 s with a task to ask for with task_result. turn_context in an answer: read it before you decide.',
    input: runInput,
    output: TASK,
    annotations: DESTROYS,
    isLong: true,
    run: runAbility,
  }),
  task_create: form({
    access: 'run',
    concerns: 'ability',
    description: 'Form a task without running it; for plans of several tasks.',
    input: createInput,
    output: STATE,
    annotations: ADDS,
    run: createOnly,
  }),
  task_set: form({
    access: 'run',
    concerns: 'tasks',
    description: 'Change the input of a task that has not run.',
    input: setInput,
    output: STATE,
    annotations: ADDS,
    run: setTask,
  }),
  task_run: form({
    access: 'run',
    concerns: 'tasks',
    description: 'Run created tasks in order, until one does not succeed; call again to go on.',
    input: orderInput,
    output: TASK,
    annotations: DESTROYS,
    run: runTasks,
  }),
  task_status: form({
    access: 'read',
    concerns: 'tasks',
    description: 'The state of a task now.',
    input: taskInput,
    output: TASK,
    annotations: READS,
    run: taskStatus,
  }),
  task_result: form({
    access: 'read',
    concerns: 'tasks',
    description: 'The end of a task; waits for it.',
    input: resultInput,
    output: TASK,
    annotations: READS,
    run: taskResult,
  }),
  task_cancel: form({
    access: 'run',
    concerns: 'tasks',
    description: 'Ask a task to stop; its `undo` and `finally` run.',
    input: taskInput,
    output: STATE,
    annotations: { ...DESTROYS, idempotentHint: true },
    run: cancel,
  }),
  session_prompt: form({
    access: 'run',
    concerns: 'session',
    description: 'Say what the user asked, before you act on it; answers with turn_context: hints, guards, risks.',
    input: promptInput,
    output: outputOf({ turn_context: { type: 'object' } }),
    annotations: ADDS,
    run: prompt,
  }),
  approvals_list: form({
    access: 'read',
    concerns: 'each',
    description: 'What your tasks wait for, and which person may decide; you never can.',
    input: z.strictObject({}),
    output: outputOf({ approvals: LIST }),
    annotations: READS,
    run: listOwnApprovals,
  }),
};

/** By name, in listing order. */
export function metaTools(access: Access): ReadonlyMap<string, DoorTool> {
  const names = Object.keys(TOOLS).filter((name) => access === 'run' || TOOLS[name]?.access === 'read');
  return new Map(names.flatMap((name) => madeOf(name)));
}

/** Cached, since over HTTP each request has its own server. */
const made = new Map<string, DoorTool>();

function madeOf(name: string): [string, DoorTool][] {
  const form = TOOLS[name];
  if (!form) return [];
  const tool = made.get(name) ?? toolOf(name, form);
  made.set(name, tool);
  return [[name, tool]];
}

export const META_NAMES: ReadonlySet<string> = new Set(Object.keys(TOOLS));

function toolOf(name: string, form: Form<never>): DoorTool {
  const { description, input, output, annotations, isLong = false, access, concerns, run } = form;
  const schema = input as z.ZodType;
  return {
    listed: {
      name,
      description,
      inputSchema: schemaOf(schema),
      outputSchema: output as Tool['outputSchema'],
      ...(annotations && { annotations }),
    },
    isLong,
    async run(call, given) {
      const wanted = readArguments(schema, given);
      const act = () => run(call, wanted as never);
      if (concerns === 'ability') return withinRight(askedOf(call, access), ability, wanted as { id: string }, act);
      if (concerns === 'session') return withinRight(askedOf(call, access), ownSession, {}, act);
      return act();
    },
  };
}

function schemaOf(input: z.ZodType): Tool['inputSchema'] {
  const { $schema: _, ...schema } = z.toJSONSchema(input, {
    io: 'input',
    // Says nothing of a map that `type` does not.
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema._zod.def.type !== 'record') return;
      delete jsonSchema.propertyNames;
      delete jsonSchema.additionalProperties;
    },
  });
  return schema as Tool['inputSchema'];
}

function form<Schema extends z.ZodType>(given: Form<Schema>): Form<never> {
  return given as unknown as Form<never>;
}
