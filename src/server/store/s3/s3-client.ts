import type { S3Client, S3ClientConfig } from '@aws-sdk/client-s3';

/** Until a connection is made. */
const CONNECT_MS = 3000;
/** Without a byte in either direction. */
const IDLE_MS = 20_000;
/** Until an answer begins: a slow line sends a part of some megabytes before it. */
const ANSWER_MS = 60_000;
/** With the first one; the pauses between them grow. */
const ATTEMPTS = 3;
/** What stores that are no AWS call themselves where nothing else is written. */
const ANY_REGION = 'us-east-1';

/**
 * A client of S3, as the usual AWS variables and files say: credentials by the default chain, region, endpoint.
 *
 * Where an endpoint is named it is asked with the bucket in the path, as stores other than AWS want it. The SDK is loaded
 * here, so that a command which reaches no S3 does not pay for it.
 */
export async function makeS3Client(env: NodeJS.ProcessEnv = process.env): Promise<S3Client> {
  // Which Node is wanted is ours to say, and `doctor` does.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
  const { S3Client } = await import('@aws-sdk/client-s3');
  const endpoint = env.AWS_ENDPOINT_URL_S3 || env.AWS_ENDPOINT_URL;
  const config: S3ClientConfig = {
    maxAttempts: ATTEMPTS,
    requestHandler: {
      connectionTimeout: CONNECT_MS,
      socketTimeout: IDLE_MS,
      requestTimeout: ANSWER_MS,
      throwOnRequestTimeout: true,
    },
    followRegionRedirects: true,
    // What is read is compared with its SHA-256 anyway, and not every store knows the newer checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    ...(endpoint && { endpoint, forcePathStyle: true }),
  };
  const client = new S3Client(config);
  if (await hasRegion(client)) return client;
  const region = env.AWS_DEFAULT_REGION || (endpoint ? ANY_REGION : undefined);
  return region === undefined ? client : new S3Client({ ...config, region });
}

async function hasRegion(client: S3Client): Promise<boolean> {
  try {
    return (await client.config.region()) !== '';
  } catch {
    return false;
  }
}
