import { RESERVED_NAMES } from '../../contracts/names.js';

/** Gives the inputs of one operation their names: as they are over there, unless that is taken or reserved. */
export class InputNames {
  private readonly taken = new Set<string>();

  /**
   * @param place goes in front where the name is taken: `query_id`.
   */
  take(name: string, place: string): string {
    let chosen = RESERVED_NAMES.has(name) || name === '' || this.taken.has(name) ? `${place}_${name}` : name;
    for (let count = 2; this.taken.has(chosen); count += 1) chosen = `${place}_${name}_${count}`;
    this.taken.add(chosen);
    return chosen;
  }

  /** Whether an input has this name. */
  has(name: string): boolean {
    return this.taken.has(name);
  }
}
