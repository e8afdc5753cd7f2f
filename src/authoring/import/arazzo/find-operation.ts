import type { JsonObject } from '../../../contracts/json.js';
import type { ImportState } from '../../../definitions/formats/import-state.js';
import { decodedPart, unescapedToken } from '../openapi/document-parts.js';
import { NotTranslated } from './not-translated.js';

export interface KnownOperation {
  key: string;
  /** Method and path in the service's API. */
  source: string;
  definition: JsonObject;
}

export interface KnownSource {
  name: string;
  url: string;
  type: string;
  /** State of its import; undefined: it was never imported. */
  state: ImportState | undefined;
}

export class Sources {
  constructor(
    private readonly sources: readonly KnownSource[],
    private readonly definitionOf: (key: string) => JsonObject | undefined,
  ) {}

  /** Finds by `operationId`, which may name its source. @throws NotTranslated */
  byId(text: string, place: string): KnownOperation {
    const said = /^\$sourceDescriptions\.([A-Za-z0-9_-]+)\.(.+)$/.exec(text);
    const searched = said ? [this.named(said[1] ?? '', place)] : this.sources.filter(({ type }) => type !== 'arazzo');
    const id = said?.[2] ?? text;
    const found = searched.flatMap((source) =>
      Object.entries(this.stateOf(source, place).operations)
        .filter(([, { id: known }]) => known === id)
        .map(([key, { source: over }]) => ({ key, source: over })),
    );
    return this.only(found, `the operation ${id}`, searched, place);
  }

  /** Finds by `{$sourceDescriptions.NAME.url}#/paths/~1pets/get`. @throws NotTranslated */
  byPath(text: string, place: string): KnownOperation {
    const match = /^\{?\$sourceDescriptions\.([A-Za-z0-9_-]+)\.url\}?#\/paths\/([^/]+)\/([a-z]+)$/.exec(text);
    if (!match?.[1] || !match[2] || !match[3]) throw new NotTranslated(`${text} leads to no operation`, place);
    const source = this.named(match[1], place);
    const path = unescapedToken(decodedPart(match[2]));
    const wanted = `${match[3].toUpperCase()} ${path}`;
    const found = Object.entries(this.stateOf(source, place).operations)
      .filter(([, { source: over }]) => over === wanted)
      .map(([key, { source: over }]) => ({ key, source: over }));
    return this.only(found, wanted, [source], place);
  }

  /** Ability id of a workflow in another document. @throws NotTranslated */
  workflow(text: string, place: string): string {
    const match = /^\$sourceDescriptions\.([A-Za-z0-9_-]+)\.(.+)$/.exec(text);
    if (!match?.[1] || !match[2]) throw new NotTranslated(`the workflow ${text} is not in the document`, place);
    const { operations } = this.stateOf(this.named(match[1], place), place);
    const found = Object.entries(operations).find(([, { source }]) => source === match[2]);
    if (found) return found[0];
    throw new NotTranslated(`the workflow ${match[2]} of ${match[1]} is not imported`, place);
  }

  private named(name: string, place: string): KnownSource {
    const source = this.sources.find((one) => one.name === name);
    if (source) return source;
    throw new NotTranslated(`there is no source description ${name}`, place);
  }

  private stateOf({ name, url, type, state }: KnownSource, place: string): ImportState {
    if (state) return state;
    if (type === 'asyncapi')
      throw new NotTranslated(`its source ${name} is AsyncAPI, whose messages cannot be translated`, place);
    const command = type === 'arazzo' ? 'arazzo' : 'openapi';
    throw new NotTranslated(
      `its source ${name} is not imported: run \`ability import ${command} ${url}\` first, or say which import it is with --source ${name}=IMPORT`,
      place,
    );
  }

  private only(
    found: { key: string; source: string }[],
    what: string,
    searched: readonly KnownSource[],
    place: string,
  ): KnownOperation {
    const [first, second] = found;
    const where = searched.map(({ name }) => name).join(', ');
    if (!first) throw new NotTranslated(`${what} is not among what was imported from ${where}`, place);
    if (second) throw new NotTranslated(`${what} is in several sources, ${where}; say which one`, place);
    const definition = this.definitionOf(first.key);
    if (definition) return { ...first, definition };
    throw new NotTranslated(`${first.key} has no definition that can be used`, place);
  }
}
