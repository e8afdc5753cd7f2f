import { isJsonObject, type Json, type JsonObject } from '../../contracts/json.js';
import type { Problem } from '../../contracts/problem.js';
import { splitText } from '../../rules/expressions/split-text.js';
import { GIVEN, nameOfStep } from '../../rules/steps/step-tree.js';
import { unlessRefused } from '../../text/attempt.js';
import { didYouMean, nearestOrAll } from '../../text/nearest.js';
import type { HighLevel, TemplateDefinition } from '../formats/high-level.js';
import type { StepDefinition, StepOf } from '../formats/steps.js';
import { BARE, expressionsOf } from '../step-expressions.js';
import {
  changeLists,
  isRepeated,
  listsInside,
  listsOfWorkflow,
  loopNamesOf,
  placeInList,
  replaceAt,
  type StepList,
} from '../step-lists.js';
import type { YamlSource } from '../yaml-source.js';
import { expandedId, rewriteExpression, type TemplateNames } from './rewrite-expression.js';

type Path = readonly PropertyKey[];

/** A workflow without templates: each use is a group with the template's steps. */
interface Expanded {
  value: HighLevel;
  /** Locates a part in the file; for a template's step, in the template and with the place of its use. */
  locate: YamlSource['locate'];
  problems: Problem[];
}

/**
 * Expands the templates of a workflow, so that nothing after loading knows them. A use becomes a group: a `let` of
 * its arguments, `<id>/input`, then the template's steps, `<id>/<inner id>`.
 */
export function expandTemplates(value: HighLevel, source: YamlSource): Expanded {
  const expansion = new Expansion(value.templates ?? {}, source);
  const expanded = expansion.workflow(value);
  expansion.checkUnused();
  if (!expansion.isUsed) return { value, locate: source.locate, problems: expansion.problems };
  return { value: expanded, locate: placesOf(source, expansion.uses), problems: expansion.problems };
}

class Expansion {
  readonly problems: Problem[] = [];
  readonly uses: TemplateUse[] = [];
  private readonly checked = new Set<string>();

  constructor(
    private readonly templates: Record<string, TemplateDefinition>,
    private readonly source: YamlSource,
  ) {}

  get isUsed(): boolean {
    return this.uses.length > 0;
  }

  workflow(value: HighLevel): HighLevel {
    return changeLists(value, listsOfWorkflow(value), (list) => this.steps(list, []));
  }

  checkUnused(): void {
    for (const [name, template] of Object.entries(this.templates)) {
      if (!this.checked.has(name)) this.body(name, template, { id: name, path: [] }, false);
    }
  }

  private steps(list: StepList, around: Path): StepDefinition[] {
    return list.steps.map((step, index) => {
      const path = [...around, ...placeInList(list, index)];
      const changed = changeLists(step, listsInside(step), (inner) => this.steps(inner, path));
      return changed.verb === 'template' ? this.use(changed, path) : changed;
    });
  }

  private use(step: Use, path: Path): StepDefinition {
    const { id, template: name, with: given = {}, ...modifiers } = step;
    const template = Object.hasOwn(this.templates, name) ? this.templates[name] : undefined;
    if (!template) {
      this.refuse(`There is no template \`${name}\``, [...path, 'template'], this.nearest(name));
      return step;
    }
    this.checkGiven(name, template, given, path);
    this.checkPaths(name, template, step, path);
    const isFirst = !this.checked.has(name);
    const body = this.body(name, template, { id, path }, isFirst);
    const named: StepDefinition[] =
      template.input.length === 0 ? [] : [{ id: expandedId(id, GIVEN), verb: 'let', let: given }];
    this.uses.push({ path, template: name, before: named.length });
    return {
      id,
      ...modifiers,
      verb: 'steps',
      steps: [...named, ...body.steps],
      expanded: {
        template: name,
        isGiven: named.length > 0,
        ...(body.output !== undefined && { output: body.output }),
      },
    };
  }

  /** @param isFirst whether to report its errors, which happens only at its first use. */
  private body(name: string, template: TemplateDefinition, use: { id: string; path: Path }, isFirst: boolean) {
    const { input, steps, output } = template;
    const ids = idsOfTemplate(steps);
    const body = new TemplateBody({ template: name, use: use.id, inputs: input, steps: ids });
    const at = ['templates', name];
    const rewritten = {
      steps: body.steps({ part: 'steps', number: 0, path: ['steps'], steps }, { path: at, loops: [] }),
      output: output === undefined ? undefined : body.value(output, { path: [...at, 'output'], loops: [] }),
    };
    if (isFirst || use.path.length === 0) this.report(body, ids, name, use.path);
    this.checked.add(name);
    return rewritten;
  }

  private report({ faults }: TemplateBody, ids: ReadonlySet<string>, name: string, use: Path): void {
    const used = use.length === 0 ? {} : { used_at: this.source.locate([...use, 'template']) };
    for (const { path, problem } of faults) {
      this.problems.push({ ...problem, location: { ...this.source.locate(path), ...used } });
    }
    if (!ids.has(GIVEN)) return;
    const problem: Problem = {
      code: 'definition.invalid',
      message: `A step of the template \`${name}\` has the id \`${GIVEN}\`, which is reserved for the inputs of the template`,
      location: { ...this.source.locate(['templates', name, 'steps']), ...used },
      suggestion: 'Choose another id.',
    };
    this.problems.push(problem);
  }

  private checkGiven(name: string, { input }: TemplateDefinition, given: JsonObject, path: Path): void {
    const at = [...path, 'with'];
    for (const key of Object.keys(given).filter((one) => !input.includes(one))) {
      const known = input.length === 0 ? 'It has none.' : `It has ${input.join(', ')}.`;
      const message = `The template \`${name}\` has no input \`${key}\``;
      this.refuse(message, [...at, key], didYouMean(key, input) ?? known, 'key');
    }
    const missing = input.filter((one) => !Object.hasOwn(given, one));
    if (missing.length === 0) return;
    const what = missing.map((one) => `\`${one}\``).join(', ');
    const place = Object.keys(given).length === 0 ? [...path, 'template'] : at;
    const message = `This use of the template \`${name}\` does not set ${what}`;
    this.refuse(message, place, `Write \`with: { ${missing[0]}: .. }\`.`);
  }

  /** Steps around a use have the same paths as the template's steps, so their ids must differ. */
  private checkPaths(name: string, template: TemplateDefinition, step: Use, path: Path): void {
    const inner = new Set([...idsOfTemplate(template.steps), ...(template.input.length === 0 ? [] : [GIVEN])]);
    const around = [
      ...(step.on_error ?? []).flatMap(({ steps = [] }, index) =>
        steps.map(({ id }, at) => ({ id, path: [...path, 'on_error', index, 'steps', at, 'id'] })),
      ),
      ...(step.finally ?? []).map(({ id }, at) => ({ id, path: [...path, 'finally', at, 'id'] })),
    ];
    for (const { id, path: place } of around) {
      if (inner.has(id))
        this.refuse(`The template \`${name}\` has a step \`${id}\` as well`, place, 'Choose another id.');
    }
  }

  private nearest(name: string): string {
    return nearestOrAll(name, Object.keys(this.templates)) ?? 'Write it under `templates` at the top of the file.';
  }

  private refuse(message: string, path: Path, suggestion: string, part: 'key' | 'value' = 'value'): void {
    this.problems.push({ code: 'definition.invalid', message, location: this.source.locate(path, part), suggestion });
  }
}

type Use = StepOf<'template'>;

function idsOfTemplate(steps: readonly StepDefinition[]): ReadonlySet<string> {
  return new Set(inList(steps));
}

function inList(steps: readonly StepDefinition[]): string[] {
  return steps.flatMap((step) => [step.id, ...listsInside(step).flatMap((list) => inList(list.steps))]);
}

interface TemplateUse {
  path: Path;
  template: string;
  /** Number of steps in the group before the template's own. */
  before: number;
}

function placesOf(source: YamlSource, uses: readonly TemplateUse[]): YamlSource['locate'] {
  return (path, part) => {
    const use = uses.find((one) => isOfTemplate(path, one));
    if (!use) return source.locate(path, part);
    const [key, ...rest] = path.slice(use.path.length);
    const [index, ...inner] = rest;
    // A template's arguments are located at its use.
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

/** Branches are keyed by id, which is written without the id of the use. */
function written(key: PropertyKey): PropertyKey {
  return typeof key === 'string' ? nameOfStep(key) : key;
}

interface At {
  path: PropertyKey[];
  loops: readonly string[];
}

export interface TemplateFault {
  path: PropertyKey[];
  problem: Problem;
}

/** Rewrites steps for one use: ids get its unique prefix, expressions read its own steps and arguments. */
class TemplateBody {
  readonly faults: TemplateFault[] = [];

  constructor(private readonly names: TemplateNames) {}

  steps(list: StepList, { path, loops }: At): StepDefinition[] {
    return list.steps.map((step, index) => ({
      ...this.step(step, { path: [...path, ...placeInList(list, index)], loops }),
      id: expandedId(this.names.use, step.id),
    }));
  }

  /** Rewrites a value with `${{ }}`. */
  value(value: Json, at: At): Json {
    if (typeof value === 'string') return this.text(value, at);
    if (Array.isArray(value)) return value.map((item, index) => this.value(item, inside(at, index)));
    return isJsonObject(value) ? this.map(value, at) : value;
  }

  private map(value: JsonObject, at: At): JsonObject {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, this.value(item, inside(at, key))]));
  }

  private text(text: string, at: At): string {
    if (!text.includes('${{')) return text;
    return this.kept(text, at, () =>
      splitText(text)
        .map((part) => (typeof part === 'string' ? part : `\${{ ${this.rewritten(part.source, at)} }}`))
        .join(''),
    );
  }

  private bare(source: string, at: At): string {
    return this.kept(source, at, () => this.rewritten(source, at));
  }

  private rewritten(source: string, { loops }: At): string {
    return rewriteExpression(source, this.names, loops);
  }

  private kept(written: string, { path }: At, rewrite: () => string): string {
    return unlessRefused(rewrite, (refusal) => {
      this.faults.push({ path, problem: refusal.toProblem() });
      return written;
    });
  }

  private step(step: StepDefinition, at: At): StepDefinition {
    if (step.verb === 'template') this.refuseTemplate(step, at);
    const turn = [...at.loops, ...Object.values(loopNamesOf(step))];
    const rewritten = expressionsOf(step).reduce((changed, { path, value, belongs, sees }) => {
      // `retry.if` is about the failed attempt alone, and stays as it is.
      if (sees === 'attempt') return changed;
      const loops = sees === 'turn' ? turn : sees === 'signal' ? [...at.loops, 'signal'] : at.loops;
      const place = { path: [...at.path, ...path], loops };
      const isBare = BARE.has(belongs) && typeof value === 'string';
      return replaceAt(changed, path, isBare ? this.bare(value, place) : this.value(value, place));
    }, step);
    return changeLists(rewritten, listsInside(step), (list) => {
      const loops = isRepeated(list) ? turn : at.loops;
      return this.steps(list, { path: at.path, loops });
    });
  }

  private refuseTemplate({ template }: StepOf<'template'>, { path }: At): void {
    const problem: Problem = {
      code: 'definition.invalid',
      message: `The template \`${this.names.template}\` uses the template \`${template}\``,
      suggestion: 'Write the steps out, or make a workflow of them and `call` it.',
    };
    this.faults.push({ path: [...path, 'template'], problem });
  }
}

function inside({ path, loops }: At, ...keys: PropertyKey[]): At {
  return { path: [...path, ...keys], loops };
}
