/**
 * Turns stack traces off in the workflow sandbox; loaded before all else. For its query `__stack_trace` the SDK
 * takes one per promise and looks every frame up in the source map: over a third of the interpreter's CPU time,
 * for traces that show the interpreter and not the task. Errors keep codes and messages. See docs/performance.md.
 */
Error.stackTraceLimit = 0;

/** Replaces the SDK's error for stack traces; has none. */
class Untraced {}

/** Code that the SDK's hooks compile for each promise: to find its workflow, and to take its stack trace. */
const COMPILED: ReadonlyMap<string, () => unknown> = new Map<string, () => unknown>([
  [
    'return globalThis.__TEMPORAL_ACTIVATOR__',
    () => (globalThis as { __TEMPORAL_ACTIVATOR__?: unknown }).__TEMPORAL_ACTIVATOR__,
  ],
  ['return globalThis.Error', () => Untraced],
]);

// The hooks compile functions by the constructor of the promise's constructor. This returns the known ones and
// compiles any other as usual, for other versions of the SDK. Runs once, however often it is loaded.
if (!Object.hasOwn(Promise, 'constructor')) {
  const compile = Promise.constructor as (text: string) => () => unknown;
  const value = (text: string): unknown => COMPILED.get(text) ?? compile(text);
  Object.defineProperty(Promise, 'constructor', { value, configurable: true });
}
