import type { Json } from '../../contracts/json.js';
import { AbilityError } from '../../contracts/problem.js';
import type { HighLevel } from '../../definitions/formats/high-level.js';
import type { Loaded } from '../../definitions/registry.js';
import { compileExpression, type Expression } from '../../rules/expressions/evaluate.js';
import { expressionsIn } from '../../rules/expressions/template.js';
import { didYouMean } from '../../text/nearest.js';
import { refuseTemplate, refuseUnknownNames } from './check-names.js';
import type { Mistakes } from './definition-errors.js';
import { placed } from './placed.js';
import type { StepPlace } from './walk-steps.js';

/** Names every expression of a workflow sees. Source: docs/workflow-language.md. */
export const COMMON_NAMES = ['input', 'steps', 'environment', 'task'];

/** Checks the expressions of a workflow where they stand: that they can be read, and that what they name is there. */
export class ExpressionChecks {
  /** Whether some expression reads `steps.<id>.link`. */
  readsLinks = false;

  /**
   * @param ids the ids of all steps.
   * @param mistakes where each expression with a mistake is kept, so that the others are checked as well.
   */
  constructor(
    private readonly workflow: Loaded<HighLevel>,
    private readonly ids: ReadonlyMap<string, StepPlace>,
    private readonly mistakes: Mistakes,
  ) {}

  /** Checks every `${{ }}` in a value, and finds the habits of other template languages. */
  checkTemplate(template: Json, path: PropertyKey[], names: readonly string[]): void {
    if (typeof template === 'string') this.check(path, () => this.checkText(template, path, names));
    else if (template !== null && typeof template === 'object') {
      for (const [key, item] of Object.entries(template)) this.checkTemplate(item, [...path, key], names);
    }
  }

  /** Checks bare CEL. */
  checkExpression(source: string, path: PropertyKey[], names: readonly string[]): void {
    this.check(path, () => {
      refuseTemplate(source);
      const status = /^\s*(always|success|failure|cancelled)\(\)/.exec(source)?.[1];
      if (status) {
        const suggestion = 'Steps that always run stand under `finally`; ask for `steps.<id>.status` otherwise.';
        throw this.refuse(`There is no \`${status}()\``, path, suggestion);
      }
      this.checkReferences(compileExpression(source), names, path);
    });
  }

  /** A mistake of the definition, with its place. */
  refuse(message: string, path: PropertyKey[], suggestion?: string): AbilityError {
    return new AbilityError({
      code: 'definition.invalid',
      message,
      location: this.workflow.locate(path),
      ...(suggestion !== undefined && { suggestion }),
    });
  }

  private checkText(text: string, path: PropertyKey[], names: readonly string[]): void {
    if (/(^|[^$])\{\{/.test(text) && !text.includes('${{')) {
      throw this.refuse(`\`${text}\` is not a template here`, path, 'Write ${{ expression }}, with the dollar sign.');
    }
    for (const expression of expressionsIn(text)) this.checkReferences(expression, names, path);
  }

  private checkReferences(expression: Expression, names: readonly string[], at: PropertyKey[]): void {
    const known = [...COMMON_NAMES, ...names];
    const bare = expression.references.find(({ name }) => !known.includes(name) && this.ids.has(name));
    if (bare) {
      throw new AbilityError({
        code: 'expression.syntax',
        message: `\`${bare.name}\` is not known in \`${expression.source}\``,
        suggestion: `Write \`steps.${bare.name}.output\`.`,
      });
    }
    refuseUnknownNames(expression, known);
    for (const { name, path } of expression.references) {
      const [step, member] = path;
      if (name !== 'steps' || step === undefined) continue;
      this.checkStep(step, expression, at);
      if (member === 'link') this.readsLinks = true;
    }
  }

  /** Whether a step is there, and can be seen from here: a turn of `foreach` is seen as an item of its output. */
  private checkStep(step: string, { source }: Expression, at: PropertyKey[]): void {
    const place = this.ids.get(step);
    if (!place) {
      throw new AbilityError({
        code: 'expression.unknown_step',
        message: `There is no step \`${step}\` (in \`${source}\`)`,
        suggestion: this.userOf(step) ?? didYouMean(step, this.ids.keys()),
      });
    }
    const { turn } = place;
    if (!turn || turn.every((key, index) => at[index] === key)) return;
    throw new AbilityError({
      code: 'expression.syntax',
      message: `\`${step}\` runs once for each item of a \`foreach\`, and \`${source}\` is outside of it`,
      suggestion: 'Use the output of the `foreach`: the list of the last output of each item.',
    });
  }

  /** What to read instead of a step of a template, which is seen inside it alone. */
  private userOf(step: string): string | undefined {
    const [id] = [...this.ids.keys()].filter((one) => one.endsWith(`/${step}`));
    const use = id?.slice(0, id.indexOf('/'));
    return use && `It is a step of the template that \`${use}\` uses: read \`steps.${use}.output\`.`;
  }

  private check(path: PropertyKey[], action: () => void): void {
    try {
      action();
    } catch (error) {
      this.mistakes.keep(placed(error, this.workflow, path));
    }
  }
}
