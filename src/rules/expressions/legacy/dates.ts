/**
 * Lets CEL know its timestamps again in workflow code.
 *
 * The sandbox of the Temporal SDK puts a Date of its own in place of the original, whose instances still name the original
 * as their constructor; the CEL library tells values apart by constructor. Imported before it, for what it does.
 */
if (Date.prototype.constructor !== Date) {
  Object.defineProperty(Date.prototype, 'constructor', { value: Date, writable: true, configurable: true });
}

export {};
