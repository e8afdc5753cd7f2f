/**
 * Turns stack traces off in the workflow sandbox.
 *
 * The SDK takes one for each promise, for its query `__stack_trace`, and looks every frame up in the source map: over a
 * third of the interpreter's CPU time, for traces that show the interpreter and not the task. Errors keep their codes
 * and messages. Loaded before all else; see docs/performance.md.
 */
Error.stackTraceLimit = 0;
