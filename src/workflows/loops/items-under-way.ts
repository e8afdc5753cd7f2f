import type { ItemName } from '../../contracts/loops.js';

/** So many items that are under way are named to those who watch. */
const MOST_NAMED = 3;

/** One item, with the path of its loop. */
interface ItemUnderWay {
  loop: string;
  item: number;
  labelOf: () => string | undefined;
}

/** The items of each loop that are under way in this run; nothing of it is carried on. */
export class ItemsUnderWay {
  private readonly loops = new Map<string, Map<number, () => string | undefined>>();

  /** The label is asked for when it is looked at, since most items are never named. */
  begin({ loop, item, labelOf }: ItemUnderWay): void {
    const items = this.loops.get(loop) ?? new Map<number, () => string | undefined>();
    this.loops.set(loop, items.set(item, labelOf));
  }

  end({ loop, item }: Omit<ItemUnderWay, 'labelOf'>): void {
    this.loops.get(loop)?.delete(item);
  }

  /** How many items of a loop are under way, and the names of the first. */
  of(loop: string): { running: number; now: ItemName[] } {
    const items = this.loops.get(loop) ?? new Map<number, () => string | undefined>();
    const now = [...items].slice(0, MOST_NAMED).map(([item, labelOf]) => {
      const label = labelOf();
      return { item, ...(label !== undefined && { label }) };
    });
    return { running: items.size, now };
  }
}
