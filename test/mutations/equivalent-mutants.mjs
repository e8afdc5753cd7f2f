// Mutants of `npm run test:mutants` that are the same program, so that no test can notice them; they are not counted.
//
// One is named by its file, its line of source without indentation, and its change as the run prints it.
<<<<<<< HEAD

/** What is kept saves time alone: without it, the same value is computed again. */
const CACHE = 'the value is computed again';
/** The type admits undefined, and the code before excludes it. */
const NEVER_UNDEFINED = 'the left side is never undefined';

export const EQUIVALENT = [
  ...[
    ['if (text.length > MAX_TEXT) return digest;', 'condition negated'],
    ['if (text.length > MAX_TEXT) return digest;', '> -> >='],
    ['if (known.size >= MAX_DIGESTS) known.delete(known.keys().next().value as string);', 'condition negated'],
    ['if (known.size >= MAX_DIGESTS) known.delete(known.keys().next().value as string);', '>= -> >'],
    ['if (known.size >= MAX_DIGESTS) known.delete(known.keys().next().value as string);', 'call removed'],
    ['known.set(text, digest);', 'call removed'],
  ].map(([text, change]) => ({ file: 'src/rules/plans/known-digest.ts', text, change, why: CACHE })),
  ...[
    ['if (compiled.size >= MAX_KEPT) compiled.clear();', 'condition negated'],
    ['if (compiled.size >= MAX_KEPT) compiled.clear();', '>= -> >'],
    ['if (compiled.size >= MAX_KEPT) compiled.clear();', 'call removed'],
    ['compiled.set(key, program);', 'call removed'],
  ].map(([text, change]) => ({ file: 'src/rules/regular-expressions.ts', text, change, why: CACHE })),
  ...['ownReaders.set(step, reads);', 'readInLoops.set(loop, ids);'].map((text) => ({
    file: 'src/rules/steps/steps-read.ts',
    text,
    change: 'call removed',
    why: CACHE,
  })),
  {
    file: 'src/rules/calls/special-addresses.ts',
    text: 'return ((parts[0] ?? 0) & 0xe000) === 0x2000;',
    change: '?? dropped',
    why: NEVER_UNDEFINED,
  },
  {
    file: 'src/rules/concurrency/slots.ts',
    text: "return task.split('/', 1)[0] ?? task;",
    change: '?? dropped',
    why: NEVER_UNDEFINED,
  },
  {
    file: 'src/rules/concurrency/slots.ts',
    text: "for (let end = task.lastIndexOf('/'); end > 0; end = task.lastIndexOf('/', end - 1)) callers.push(task.slice(0, end));",
    change: '> -> >=',
    why: 'no task id begins with a slash',
  },
  {
    file: 'src/rules/tasks/shared-names.ts',
    text: 'return step === undefined || origin === undefined ? undefined : { step, origin };',
    change: '|| -> &&',
    why: 'both groups of the pattern match, or none',
  },
  {
    file: 'src/rules/tasks/stored-result.ts',
    text: 'at[index] ?? 0,',
    change: '?? dropped',
    why: NEVER_UNDEFINED,
  },
  {
    file: 'src/rules/tasks/ways-to-retry.ts',
    text: "const path = all.find(({ step }) => step.id === id)?.path ?? '';",
    change: '?? dropped',
    why: NEVER_UNDEFINED,
  },
  {
    file: 'src/rules/traces/trace-ids.ts',
    text: 'for (let length = 1; length < parts.length; length += 1) {',
    change: '< -> <=',
    why: 'the last one is the path itself, which is given back in any case',
=======
export const EQUIVALENT = [
  {
    file: 'src/activities/preflight/preflight.ts',
    text: "return workflowType === WORKFLOWS.preflight && ids.includes(workflowExecution?.workflowId ?? '');",
    change: '?? dropped',
    reason: 'No id is undefined, so that undefined is not among them either.',
  },
  {
    file: 'src/activities/preflight/guard-creation.ts',
    text: '{ blockingOnly: true },',
    change: 'true -> false',
    reason: 'Only hooks of session events are planned with `blocking: false`; those of a plan all fire.',
  },
  {
    file: 'src/activities/call/trace-call.ts',
    text: "const run = info.workflowExecution?.runId ?? '';",
    change: '?? dropped',
    reason: 'A call without a workflow is not admitted; and undefined joins to an empty text, too.',
  },
  {
    file: 'src/activities/call/call.ts',
    text: "const by = { run: info.workflowExecution?.runId ?? '', activity: info.activityId };",
    change: '?? dropped',
    reason: 'A call without a workflow is not admitted.',
  },
  {
    file: 'src/activities/task/finish.ts',
    text: "const runId = context.info.workflowExecution?.runId ?? '';",
    change: '?? dropped',
    reason: 'An activity without a workflow is not admitted.',
>>>>>>> 6ea0ba7d (Unit tests of how tasks end, are deleted and ask their worker)
  },
  {
    file: 'src/activities/lossless-json/number-tokens.ts',
    text: 'while (at < text.length) {',
    change: '< -> <=',
    why: 'behind the end there is no character, and one more step changes nothing',
  },
  {
    file: 'src/activities/script/pinned-copy.ts',
    text: 'if (stat.size <= AT_ONCE) hash.update(readFileSync(file));',
    change: 'condition negated',
    why: 'both ways read the same bytes; one of them in chunks',
  },
  {
    file: 'src/activities/script/pinned-copy.ts',
    text: 'if (stat.size <= AT_ONCE) hash.update(readFileSync(file));',
    change: '<= -> <',
    why: 'both ways read the same bytes; one of them in chunks',
  },
  {
    file: 'src/activities/script/run-process.ts',
    text: 'cleanup: false,',
    change: 'false -> true',
    why: 'execa cleans up nothing that is detached',
  },
  {
    file: 'src/activities/script/run-process.ts',
    text: "signal.addEventListener('abort', abort, { once: true });",
    change: 'true -> false',
    why: 'a signal fires once',
  },
  {
    file: 'src/activities/script/run-process.ts',
    text: 'if (this.pieces.length >= MAX_PIECES) this.pieces = [Buffer.concat(this.pieces)];',
    change: 'condition negated',
    why: 'the bytes are the same in however many pieces; only the memory differs',
  },
  {
    file: 'src/activities/script/run-process.ts',
    text: 'if (this.pieces.length >= MAX_PIECES) this.pieces = [Buffer.concat(this.pieces)];',
    change: '>= -> >',
    why: 'the bytes are the same in however many pieces; only the memory differs',
  },
  {
    file: 'src/activities/script/read-script-output.ts',
    text: 'if (twice >= 0) throw new NoCsv(`column ${twice + 1} has the name of an earlier one`);',
    change: '>= -> >',
    why: 'the first column has no earlier one',
  },
  {
    file: 'src/activities/script/read-script-output.ts',
    text: "return Object.fromEntries(header.map((name, index) => [name, row[index] ?? '']));",
    change: '?? dropped',
    why: 'the parser refuses lines of another length than the header',
  },
  {
    file: 'src/activities/script/refuse-unusable-input.ts',
    text: "task_key: key ?? '',",
    change: '?? dropped',
    why: 'what an author writes around expressions is never refused, and the text is used for nothing else',
  },
  {
    file: 'src/activities/mcp/pool.ts',
    text: "stop.addEventListener('abort', giveUp, { once: true });",
    change: 'true -> false',
    why: 'a signal fires once',
  },
  {
    file: 'src/activities/mcp/negotiate.ts',
    text: "signal.addEventListener('abort', giveUp, { once: true });",
    change: 'true -> false',
    why: 'a signal fires once',
  },
  {
    file: 'src/activities/mcp/child-transport.ts',
    text: "const child = spawn(command, args, { cwd, env, stdio: ['pipe', 'pipe', 'pipe'], windowsHide: true });",
    change: 'true -> false',
    why: 'it has a meaning on Windows only',
  },
  {
    file: 'src/activities/mcp/tool-definition.ts',
    text: 'digests.set(tool, digest);',
    change: 'call removed',
    why: 'a digest that is not kept is computed again',
  },
  {
    file: 'src/activities/api/guarded-agent.ts',
    text: 'keys.set(allowed, known);',
    change: 'call removed',
    why: 'a key that is not kept is computed again',
  },
  {
    file: 'src/activities/api/guarded-agent.ts',
    text: 'if (permitted.size >= MAX_PERMITTED) permitted.clear();',
    change: 'condition negated',
    why: 'what is not kept is checked again',
  },
  {
    file: 'src/activities/api/guarded-agent.ts',
    text: 'if (permitted.size >= MAX_PERMITTED) permitted.clear();',
    change: '>= -> >',
    why: 'what is not kept is checked again',
  },
  {
    file: 'src/activities/api/guarded-agent.ts',
    text: 'if (permitted.size >= MAX_PERMITTED) permitted.clear();',
    change: 'call removed',
    why: 'what is kept longer is not checked again, with the same result',
  },
  {
    file: 'src/activities/api/guarded-agent.ts',
    text: 'permitted.add(question);',
    change: 'call removed',
    why: 'what is not kept is checked again',
  },
];
