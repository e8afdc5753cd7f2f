// Mutants of `npm run test:mutants` that are the same program, so that no test can notice them; they are not counted.
//
// One is named by its file, its line of source without indentation, and its change as the run prints it.

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
  },
];
