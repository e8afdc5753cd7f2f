import { domainOfFolder } from './domain.js';
import type { Fault } from './read-marker.js';

/** What the author of a document says about one of its tables. */
export interface SectionSettings {
  /** Modules that the table is about. */
  modules: string[];
  /** `auto`: what the modules have gets a row; `chosen`: only what has one already. */
  rows: 'auto' | 'chosen';
  /** Ids, with `*`, that get none. */
  omit: string[];
  /** `own`: the heading stands above the marker, in the words of the author. */
  heading: 'usual' | 'own';
}

/** Reads the attributes of an opening marker. @param folder of the document, relative to the project root. */
export function readSettings(attributes: ReadonlyMap<string, string>, folder: string): SectionSettings | Fault {
  const rows = attributes.get('rows') ?? 'auto';
  if (rows !== 'auto' && rows !== 'chosen') {
    return { message: `\`rows\` is auto or chosen, not ${rows}` };
  }
  const heading = attributes.get('heading') ?? 'usual';
  if (heading !== 'usual' && heading !== 'own') {
    return { message: `\`heading\` is usual or own, not ${heading}` };
  }
  const modules = listOf(attributes.get('modules'));
  const omit = listOf(attributes.get('omit'));
  if (modules?.length === 0) {
    return {
      message: '`modules` names none',
      suggestion: 'Name some, or leave it out: then it is that of the folder.',
    };
  }
  if (rows === 'chosen' && omit) {
    const suggestion = 'Delete the rows that should not be there, and `omit`.';
    return { message: 'With rows="chosen" nothing is added, so there is nothing to omit', suggestion };
  }
  return { modules: modules ?? domainOfFolder(folder), rows, omit: omit ?? [], heading };
}

/** Whether settings were read, and not a fault. */
export function isSettings(read: SectionSettings | Fault): read is SectionSettings {
  return 'rows' in read;
}

function listOf(text: string | undefined): string[] | undefined {
  return text?.split(/[\s,]+/).filter(Boolean);
}
