import type { IncomingMessage, ServerResponse } from 'node:http';
import * as z from 'zod';
import { TABLE } from '#shared/table/table-definition.ts';
import { forward, type LocalServer, startServer } from '../http.ts';
import { readBody } from '../request-body.ts';
import type { Backups } from './backups.ts';
import type { History } from './history.ts';
import { RefusedCall } from './raw-calls.ts';

/** The database accepts 16 MB in a call. */
const BODY_LIMIT = 16 * 1024 * 1024;
const JSON_TYPE = { 'content-type': 'application/x-amz-json-1.0' };
const DAY_SECONDS = 24 * 3600;

const OneTable = z.looseObject({ TableName: z.string() });
const UpdateInput = z.looseObject({
  TableName: z.string(),
  PointInTimeRecoverySpecification: z.looseObject({ PointInTimeRecoveryEnabled: z.literal(true) }),
});
/** The new table gets its name from the caller, and the name becomes that of a file. */
const RestoreInput = z.looseObject({
  SourceTableName: z.string(),
  TargetTableName: z.string().regex(/^[a-zA-Z0-9_.-]{3,255}$/),
  RestoreDateTime: z.number(),
});

/**
 * Starts an endpoint in front of the local database that also answers the calls about continuous backups, which the database
 * does not know, and forwards all others. So a restore makes the same calls on one machine as in a region.
 */
export async function startBackupEndpoint(database: string, backups: Backups): Promise<LocalServer> {
  const server = await startServer(
    (request, response) => answer(database, backups, request, response),
    (error, response) => {
      if (error instanceof RefusedCall) return refuse(response, error.type, error.message);
      if (error instanceof z.ZodError) return refuse(response, 'ValidationException', z.prettifyError(error));
      console.error('A call about backups failed', error);
      response.destroy();
    },
  );
  const stop = async () => {
    await server.stop();
    await backups.stop();
  };
  return { ...server, stop };
}

function refuse(response: ServerResponse, type: string, message: string): void {
  const __type = `com.amazonaws.dynamodb.v20120810#${type}`;
  response.writeHead(400, JSON_TYPE).end(JSON.stringify({ __type, message }));
}

async function answer(
  database: string,
  backups: Backups,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await readBody(request, BODY_LIMIT);
  if (body === null) throw new RefusedCall('RequestEntityTooLarge', `The body has more than ${BODY_LIMIT} bytes`);
  const target = String(request.headers['x-amz-target']);
  const operation = target.split('.').at(-1) ?? '';
  const own = OPERATIONS[operation];
  if (own) {
    const answered = await own(JSON.parse(body.toString()), backups);
    response.writeHead(200, JSON_TYPE).end(JSON.stringify(answered));
    return;
  }
  const { 'content-type': type, authorization } = request.headers;
  const headers = { 'x-amz-target': target, 'content-type': type, authorization };
  const forwarded = await forward(database, { method: 'POST', url: '/', headers, body });
  const text = forwarded.body.toString();
  response.writeHead(forwarded.status, JSON_TYPE);
  response.end(operation === 'DescribeTable' && forwarded.status === 200 ? withState(text, backups) : text);
}

const OPERATIONS: Partial<Record<string, (input: unknown, backups: Backups) => Promise<object>>> = {
  DescribeContinuousBackups: async (input, backups) => description(await backups.of(OneTable.parse(input).TableName)),
  UpdateContinuousBackups: async (input, backups) =>
    description(await backups.enable(UpdateInput.parse(input).TableName)),
  RestoreTableToPointInTime: async (input, backups) => {
    const { SourceTableName, TargetTableName, RestoreDateTime } = RestoreInput.parse(input);
    await backups.restore(SourceTableName, TargetTableName, RestoreDateTime * 1_000);
    return { TableDescription: { TableName: TargetTableName, TableStatus: 'CREATING' } };
  },
};

/** The times are whole seconds since the epoch. */
const description = (history: History | undefined): object => ({
  ContinuousBackupsDescription: {
    ContinuousBackupsStatus: 'ENABLED',
    PointInTimeRecoveryDescription: history
      ? {
          PointInTimeRecoveryStatus: 'ENABLED',
          RecoveryPeriodInDays: TABLE.recoveryDays,
          EarliestRestorableDateTime: Math.max(
            Math.ceil(history.begun / 1_000),
            Math.ceil(history.readUntil / 1_000) - TABLE.recoveryDays * DAY_SECONDS,
          ),
          LatestRestorableDateTime: Math.floor(history.readUntil / 1_000),
        }
      : { PointInTimeRecoveryStatus: 'DISABLED' },
  },
});

const Described = z.looseObject({ Table: z.looseObject({ TableName: z.string(), TableStatus: z.string() }) });

/** A table that is being restored is not active, although the database has it already. */
function withState(text: string, backups: Backups): string {
  const { Table } = Described.parse(JSON.parse(text));
  return backups.isRestoring(Table.TableName) ? JSON.stringify({ Table: { ...Table, TableStatus: 'CREATING' } }) : text;
}
