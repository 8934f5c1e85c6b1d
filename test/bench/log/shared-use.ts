import { LOCAL } from '#infra/local/settings.ts';
import { startDynamoDb } from '#infra/local/storage/dynamodb.ts';
import { LogMessage } from '#shared/log/log-message.ts';
import { SIGNATURES_PER_SECOND } from '#shared/log/rules/signature-line.ts';
import { makeRecorder } from '#test/support/table/recorder.ts';
import { ENTRIES_OF_CALL, type Rate } from '../bill/by-rate.ts';
import { ASSUMED, gigabytes, recordedUsage } from '../bill/usage-of.ts';
import { createTable, startObjects } from '../local-services.ts';
import { sum, times, type Usage } from '../prices.ts';
import { MESSAGES_PER_CALL } from './log-cost.ts';
import { playLoad } from './play-load.ts';

/** What the logs of many organizations use for each accepted write, because their writes share calls of the integrator. */

/** Seconds of writes that are played, and the first of them that is counted: by then the line for signatures is as long as it gets. */
const PLAYED = 80;
const COUNTED_FROM = 40;
/** More writes than this in a second are played with as many times fewer organizations, signatures and calls. */
const MOST_WRITES = 100;
/** Organizations that write less often than in this many seconds all cost the same: each checkpoint has one entry. */
const SLOWEST = 30;
/** Processor time for an entry, in milliseconds (docs/benchmarks.md#logs-of-many-organizations). */
const ENTRY_MILLIS = 2.9;

/**
 * Plays writes to organizations by chance, and counts what the integrator uses for them. Each entry is sent alone, as a relay that has
 * one record per call sends it.
 *
 * @param memory of the integrator, in GB
 * @param most signatures of the region in a second
 */
export async function sharedLogUse(
  { writesPerSecond, organizations }: Rate,
  memory: number,
  progress: (text: string) => void,
  most = SIGNATURES_PER_SECOND,
): Promise<Usage> {
  const part = Math.min(1, MOST_WRITES / writesPerSecond);
  const writes = writesPerSecond * part;
  const load = {
    organizations: Math.round(Math.min(organizations * part, writes * SLOWEST)),
    writes,
    seconds: PLAYED,
    // Twice as many connections as would be busy all the time.
    calls: Math.max(1, Math.ceil((2 * writes) / ENTRIES_OF_CALL)),
    signatures: most * part,
  };
  const database = await startDynamoDb({});
  const bucket = await startObjects();
  try {
    await createTable(database.endpoint);
    const { table, objects, record } = makeRecorder({ dynamodb: database.endpoint, s3: bucket.s3 }, LOCAL.tableName);
    const isCounted = (at: number) => at >= COUNTED_FROM && at < PLAYED;
    const used: Usage[] = [];
    let lineBytes = 0;
    const { signedAt } = await playLoad(
      load,
      {
        ...{ table, objects },
        signing: async () => undefined,
        begun: () => undefined,
        lines: (line) => {
          lineBytes += Buffer.byteLength(JSON.stringify(line));
        },
        async call(integrate, bodies, at) {
          lineBytes = 0;
          const recording = await record(integrate);
          const entries = bodies.flatMap((body) => LogMessage.parse(body).entries).length;
          const processor = entries * ENTRY_MILLIS;
          if (isCounted(at)) {
            used.push(recordedUsage(recording, memory), {
              functionGigabyteSeconds: (memory * processor) / 1_000,
              logGigabytes: gigabytes(lineBytes),
              queueRequests: bodies.length + 2 * Math.ceil(bodies.length / MESSAGES_PER_CALL),
            });
          }
          const inRow = Math.max(0, ...recording.calls.map(({ level }) => level));
          return ASSUMED.ownMillis + inRow * ASSUMED.callMillis + processor;
        },
      },
      progress,
    );
    const signatures = signedAt.filter(isCounted).length;
    return times(sum([...used, { signatures }]), 1 / (writes * (PLAYED - COUNTED_FROM)));
  } finally {
    await bucket.stop();
    await database.stop();
  }
}
