import { resolve } from 'node:path';
import { AbilityError } from '../../contracts/problem.js';
import type { PayloadKeys } from '../payloads/payload-keys.js';
import type { ProjectPaths } from '../project-paths.js';
import { FolderStore } from './folder-store.js';
import { readS3Place } from './s3/s3-place.js';
import { S3Store } from './s3/s3-store.js';
import { SealedStore } from './sealed-store.js';
import type { Store } from './store.js';
import { StoreIdentity } from './store-identity.js';

const SCHEME = /^([a-z][a-z0-9+.-]+):\/\//i;

/**
 * The store at a place, unchecked: `ABILITY_STORE`, the one that a runtime reports, or a project's folder. @param
 * keys encrypt its contents. @param paths to detect an unmounted shared folder. @throws AbilityError `config.invalid` for an unknown kind of place.
 */
export function openStore(
  place: string,
  keys: PayloadKeys,
  paths?: Pick<ProjectPaths, 'store' | 'system' | 'sharedStores'>,
): Store {
  return new SealedStore(openPlain(place, paths), keys);
}

function openPlain(place: string, paths?: Pick<ProjectPaths, 'store' | 'system' | 'sharedStores'>): Store {
  const [, scheme] = SCHEME.exec(place) ?? [];
  if (scheme?.toLowerCase() === 's3') return new S3Store(readS3Place(place));
  if (scheme !== undefined) throw unknownKind(place);
  if (!paths) return new FolderStore(place, true);
  if (resolve(place) === resolve(paths.store)) return new FolderStore(place);
  return new FolderStore(place, true, new StoreIdentity(place, paths));
}

function unknownKind(place: string): AbilityError {
  return new AbilityError({
    code: 'config.invalid',
    message: `ABILITY_STORE is ${place}, which is neither a folder nor in S3`,
    suggestion: 'Name a folder, or s3://bucket/prefix.',
  });
}
