import { randomBytes } from 'node:crypto';
import { type Answer, newFingerprint, type Stack } from './stack-api.ts';

/** One write of a burst, and whether the service answered it. */
export interface Write {
  trail: string;
  kind: 'trail' | 'artifact' | 'attestation';
  /** Name of the attestation or of the artifact in the template; the trail's name for a trail. */
  name: string;
  fingerprint?: string;
  userData: unknown;
  /** The idempotency key of every attempt. The service applies repeated attempts once. */
  key: string;
  answered: boolean;
}

const WRITERS = 8;
/** Random text of this size does not fit into an item even after compression. */
const LARGE_BYTES = 6_000;

/**
 * Starts writers that write until the stack is killed. Each writer begins its own trails, attests with small and large
 * user data, reports artifacts, and also writes to one trail that all writers share.
 *
 * @param onAnswer receives the number of answers so far
 * @returns the writes in the order of their start, and how each writer ended: `cut`, or an error that came before
 */
export function startBurst(
  stack: Stack,
  flow: string,
  onAnswer: (answers: number) => void,
): { ledger: Write[]; ended: Promise<unknown[]> } {
  const ledger: Write[] = [];
  let answers = 0;
  const write = async (entry: Omit<Write, 'key' | 'answered'>) => {
    const record = { ...entry, key: randomBytes(16).toString('hex'), answered: false };
    ledger.push(record);
    await send(stack, flow, record);
    record.answered = true;
    answers += 1;
    onAnswer(answers);
  };
  const writer = async (number: number) => {
    for (let round = 1; ; round += 1) {
      const trail = `trail-${number}-${round}`;
      const label = `${number}-${round}`;
      const fingerprint = newFingerprint();
      await write({ trail, kind: 'trail', name: trail, userData: { begun: trail } });
      await write({ trail, kind: 'attestation', name: 'small', userData: { n: round } });
      await write({ trail, kind: 'artifact', name: 'built', fingerprint, userData: {} });
      await write({ trail, kind: 'attestation', name: 'large', userData: large(), fingerprint });
      await write({ trail: 'shared', kind: 'attestation', name: `shared-${label}`, userData: { n: round } });
    }
  };
  const ended = Promise.all(Array.from({ length: WRITERS }, (_, number) => writer(number).catch(howItEnded)));
  return { ledger, ended };
}

/** A killed server closes its connections, which `fetch` reports as a `TypeError`. */
const howItEnded = (error: unknown): unknown => (error instanceof TypeError ? 'cut' : error);

const large = () => ({ text: randomBytes(LARGE_BYTES).toString('base64') });

/** Sends a write for the first time or again. @throws Refusal unless the service answers with success */
export async function send(stack: Pick<Stack, 'call'>, flow: string, write: Write): Promise<void> {
  const { status, text } = await post(stack, flow, write);
  const { kind, name, trail } = write;
  if (status !== 200 && status !== 201) throw new Refusal(`${kind} ${name} of ${trail}: ${status} ${text}`);
}

/** Sends a write and returns the answer, also an error. */
export function post({ call }: Pick<Stack, 'call'>, flow: string, write: Write): Promise<Answer> {
  const { trail, kind, name, fingerprint, userData, key } = write;
  const headers = { 'idempotency-key': key };
  const request = {
    trail: () => call('PUT', `/trails/${flow}`, { form: { name: trail, user_data: userData }, headers }),
    artifact: () =>
      call('POST', `/artifacts/${flow}`, {
        json: { trail_name: trail, template_reference_name: name, fingerprint, ...REPORT },
        headers,
      }),
    attestation: () =>
      call('POST', `/attestations/${flow}/trail/${trail}/generic`, {
        form: { attestation_name: name, user_data: userData, artifact_fingerprint: fingerprint },
        headers,
      }),
  };
  return request[kind]();
}

/** The service answered a write with an error. No burst may receive one. */
export class Refusal extends Error {
  override name = 'Refusal';
}

const REPORT = {
  filename: 'built.bin',
  git_commit: 'a'.repeat(40),
  build_url: 'https://ci.example/1',
  commit_url: 'https://code.example/1',
};
