/** The server release this version is made for and tested with. */
export const TEMPORAL_CLI_VERSION = '1.9.1';

/** The oldest Temporal CLI whose dev server has every flag we start it with. */
export const OLDEST_CLI = [1, 1] as const;

/** SHA-256 of each wheel of that release, one a platform; pip takes no other bytes. */
export const WHEEL_HASHES = [
  '3cca23d0d2caaa2f1273b78be7a01e8c2c65da435a3d286395814c1a90b71e5a',
  '75849182c7ca75372585b6b33e003d0bc10ebedf166c8382b3c9226cf6c3c9cc',
  '1ce8d2751c2d03a1a09fac36a6be65cd62ae438d5495dcfd22b91f95966e7cdc',
  '29fddab1b74896976bf8434fb5368487785ee78a12599e936df96af4ff8186cf',
] as const;

/** A source that sends nothing for this long is given up. Source: design, section 11. */
export const SILENCE_MS = 5000;
