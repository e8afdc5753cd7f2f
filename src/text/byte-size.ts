const UNITS: Record<string, number> = {
  B: 1,
  kB: 1000,
  KB: 1000,
  MB: 1000 ** 2,
  GB: 1000 ** 3,
  TB: 1000 ** 4,
  KiB: 1024,
  MiB: 1024 ** 2,
  GiB: 1024 ** 3,
  TiB: 1024 ** 4,
};

/** What {@link parseBytes} reads. */
export const BYTES_PATTERN = /^(\d+(?:\.\d+)?)\s*(B|kB|KB|MB|GB|TB|KiB|MiB|GiB|TiB)$/;

/** Parses a size such as `500MB` or `1GiB`. @returns whole bytes; undefined if it is invalid. */
export function parseBytes(text: string): number | undefined {
  const [, number, unit] = BYTES_PATTERN.exec(text.trim()) ?? [];
  const bytes = unit === undefined ? Number.NaN : Math.round(Number(number) * (UNITS[unit] as number));
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}

/** Formats bytes for people: `512 B`, `1.5 KiB`, `20 MiB`. */
export function formatBytes(bytes: number): string {
  const names = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  const power = Math.min(names.length - 1, bytes < 1024 ? 0 : Math.floor(Math.log2(bytes) / 10));
  const size = bytes / 1024 ** power;
  return `${size.toFixed(power === 0 ? 0 : 1).replace(/\.0$/, '')} ${names[power]}`;
}
