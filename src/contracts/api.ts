import type { Json } from './json.js';

/** Where an input of an HTTP call can go. */
export const API_PLACES = ['path', 'query', 'header', 'cookie', 'body'] as const;

/** One of {@link API_PLACES}. */
export type ApiPlace = (typeof API_PLACES)[number];

/** How a value becomes text: the styles of the OpenAPI specification, and `json`, its JSON. */
export const API_STYLES = [
  'form',
  'spaceDelimited',
  'pipeDelimited',
  'deepObject',
  'simple',
  'label',
  'matrix',
  'json',
] as const;

/** One of {@link API_STYLES}. */
export type ApiStyle = (typeof API_STYLES)[number];

/** Encodings of a request body. */
export const API_BODY_TYPES = ['json', 'form', 'multipart', 'text', 'binary'] as const;

/** One of {@link API_BODY_TYPES}. */
export type ApiBodyType = (typeof API_BODY_TYPES)[number];

/** Formats in which an answer is read. */
export const API_ANSWERS = ['json', 'text', 'base64', 'file'] as const;

/** One of {@link API_ANSWERS}. */
export type ApiAnswer = (typeof API_ANSWERS)[number];

/** Where one input goes and in which form, with all defaults filled in. Source: docs/api-calls.md. */
export interface PlanApiParam {
  in: ApiPlace;
  /** Its name in the request. */
  name: string;
  /** Absent in a JSON or multipart body, which need none; there `explode` is absent as well. */
  style?: ApiStyle;
  explode?: boolean;
  /** Leaves those reserved characters as they are that cannot end the value. */
  allow_reserved?: true;
}

/** The body of a request. */
export interface PlanApiBody {
  /** Absent: json. */
  type?: Exclude<ApiBodyType, 'json'>;
  /** Absent: derived from the type. */
  content_type?: string;
  /** A template for all of it; absent: the inputs that go into the body. */
  value?: Json;
  /** It is sent even where no field of it is given. */
  required?: true;
}

/** Credentials sent outside of headers. Texts contain `{credential:NAME}`. */
export interface PlanApiAuth {
  basic?: { user: string; password: string };
  /** Name of the parameter to its text. */
  query?: Record<string, string>;
}

/** How an answer is read. */
export interface PlanApiResponse {
  as?: ApiAnswer;
  /** Gives integers that a double does not hold as text; absent: they are refused. */
  big_integers?: 'text';
  /** Headers that are part of the output, under the names written here. */
  headers?: string[];
  /** The output says with which status the service answered. */
  status?: true;
}
