import { nameOfStep } from '../../rules/step-name.js';
import type { YamlSource } from '../yaml-source.js';

type Path = readonly PropertyKey[];

/** A step that uses a template. */
export interface TemplateUse {
  /** Where it stands in the workflow. */
  path: Path;
  template: string;
  /** How many steps of the group stand before those of the template. */
  before: number;
}

/** Where the parts of a workflow stand whose templates were written out. */
export function placesOf(source: YamlSource, uses: readonly TemplateUse[]): YamlSource['locate'] {
  return (path, part) => {
    const use = uses.find((one) => isOfTemplate(path, one));
    if (!use) return source.locate(path, part);
    const [key, ...rest] = path.slice(use.path.length);
    const [index, ...inner] = rest;
    // What it is given stands at its use.
    if (key === 'steps' && typeof index === 'number' && index < use.before) {
      const [member, ...below] = inner;
      return source.locate([...use.path, ...(member === 'let' ? ['with', ...below] : ['template'])], part);
    }
    const within = key === 'steps' && typeof index === 'number' ? [index - use.before, ...inner] : rest;
    const place = source.locate(['templates', use.template, key ?? 'steps', ...within.map(written)], part);
    return { ...place, used_at: source.locate([...use.path, 'template']) };
  };
}

function isOfTemplate(path: Path, use: TemplateUse): boolean {
  const next = path[use.path.length];
  return (next === 'steps' || next === 'output') && use.path.every((key, index) => path[index] === key);
}

/** The names of branches are ids, and were written without that of the use. */
function written(key: PropertyKey): PropertyKey {
  return typeof key === 'string' ? nameOfStep(key) : key;
}
