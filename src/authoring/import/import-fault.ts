import { AbilityError, type SourceLocation } from '../../contracts/problem.js';

interface More {
  location?: SourceLocation;
  suggestion?: string | undefined;
  cause?: unknown;
}

/** The error that ends an import. */
type Fault = (message: string, more?: More) => AbilityError;

function faultOf(kind: { code: string }): Fault {
  return (message, { cause, ...more } = {}) => new AbilityError({ ...kind, message, ...more }, { cause });
}

/** The source cannot be reached. */
export const unavailable = faultOf({ code: 'import.unavailable' });

/** The source is not what it should be. */
export const unreadable = faultOf({ code: 'import.unreadable' });

/** The source is of a version or size that no import reads. */
export const unsupported = faultOf({ code: 'import.unsupported' });

/** A file is in the way that this import did not write, or that people edited since. */
export const notOurs = faultOf({ code: 'import.not_ours' });

/** {@link unsupported}, for a source that is too large. */
export function tooLarge(message: string): AbilityError {
  return unsupported(message, { suggestion: 'Import it in parts: leave in a copy only the paths you need.' });
}
