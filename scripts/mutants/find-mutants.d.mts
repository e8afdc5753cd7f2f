/** One small change of a source. */
export interface Mutant {
  line: number;
  /** As the run prints it. */
  change: string;
  start: number;
  end: number;
  mutated: string;
  /** Of a method that is called instead of another one. */
  name?: string;
}

export function findMutants(source: string): Mutant[];

export function plantSwitches(source: string, mutants: readonly (Mutant & { id: number })[]): string;
