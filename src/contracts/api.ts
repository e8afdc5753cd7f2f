import type { Json } from './json.js';

/** Where an input of an HTTP call can go. */
export const API_PLACES = ['path', 'query', 'header', 'cookie', 'body'] as const;

export type ApiPlace = (typeof API_PLACES)[number];

/** How a value becomes text: the styles of the OpenAPI specification, and `json` for JSON text. */
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

export type ApiStyle = (typeof API_STYLES)[number];

export const API_BODY_TYPES = ['json', 'form', 'multipart', 'text', 'binary'] as const;

export type ApiBodyType = (typeof API_BODY_TYPES)[number];

/** Formats in which an answer is read. */
export const API_ANSWERS = ['json', 'text', 'base64', 'file'] as const;

export type ApiAnswer = (typeof API_ANSWERS)[number];

/** Where one input goes and in which form, with all defaults filled in. */
export interface PlanApiParam {
  in: ApiPlace;
  /** Its name in the request. */
  name: string;
  /** Absent in JSON and multipart bodies, as is `explode`. */
  style?: ApiStyle;
  explode?: boolean;
  /** Leaves reserved characters unescaped if they cannot end the value. */
  allow_reserved?: true;
}

/** The body of a request. */
export interface PlanApiBody {
  /** Absent: json. */
  type?: Exclude<ApiBodyType, 'json'>;
  /** Absent: derived from the type. */
  content_type?: string;
  /** A template for the whole body; absent: the inputs that go into the body. */
  value?: Json;
  /** Send the body even if none of its fields is given. */
  required?: true;
}

/** Credentials sent outside of headers. Texts contain `{credential:NAME}`. */
export interface PlanApiAuth {
  basic?: { user: string; password: string };
  query?: Record<string, string>;
}

/** How an answer is read. */
export interface PlanApiResponse {
  as?: ApiAnswer;
  /** Integers that a double cannot hold become text; absent: they are refused. */
  big_integers?: 'text';
  /** Headers to include in the output, under these names. */
  headers?: string[];
  /** Include the HTTP status in the output. */
  status?: true;
}
