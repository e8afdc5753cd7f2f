// Mutants of `npm run test:mutants` that are the same program, so that no test can notice them; they are not counted.
//
// One is named by its file, its line of source without indentation, and its change as the run prints it.
export const EQUIVALENT = [];
