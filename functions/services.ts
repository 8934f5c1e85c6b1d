import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Engines } from '#shared/engines/engines.ts';
import { packagedChild } from '#shared/engines/packaged-child.ts';
import { loadEnvironment } from '#shared/env.ts';
import type { Services } from '#shared/services.ts';
import { meter } from '#shared/store/meter.ts';
import { Objects } from '#shared/store/objects.ts';
import { Table } from '#shared/store/table.ts';
import { systemClock } from '#shared/time.ts';

/**
 * What handlers of deployed functions are given: made from the function's settings when the first request comes, and
 * kept for those after it.
 */
export function lambdaServices(): () => Services {
  let services: Services | undefined;
  return () => {
    services ??= makeServices();
    return services;
  };
}

function makeServices(): Services {
  const { TABLE_NAME, BUCKET_NAME, ENGINES_PATH } = loadEnvironment();
  const database = DynamoDBDocumentClient.from(meter(new DynamoDBClient(), 'DynamoDB'), {
    marshallOptions: { removeUndefinedValues: true },
  });
  return {
    table: new Table(database, TABLE_NAME),
    objects: new Objects(meter(new S3Client(), 'S3'), BUCKET_NAME),
    engines: lazyEngines(ENGINES_PATH),
    clock: systemClock(),
  };
}

/** The engines are heavy, and most requests need none: they are loaded at their first use (design §5, «Cold start»). */
export function lazyEngines(path?: string): Engines {
  let loading: Promise<Engines> | undefined;
  const load = () => {
    loading ??= import('#shared/engines/child-engines.ts').then(({ childEngines }) =>
      childEngines(path === undefined ? {} : { child: packagedChild(path) }),
    );
    return loading;
  };
  return {
    checkJq: async (programs) => (await load()).checkJq(programs),
    runJq: async (programs, json) => (await load()).runJq(programs, json),
    checkSchema: async (schema) => (await load()).checkSchema(schema),
    validate: async (schema, json) => (await load()).validate(schema, json),
  };
}
