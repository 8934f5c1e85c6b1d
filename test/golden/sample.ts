import { type Micros, toSeconds } from '#shared/base/time.ts';
import { originDigest } from '#shared/log/records/witnessed.ts';
import { organizationToForge } from '#test/forger/organization.ts';
import { signInApi } from '#test/functions/user/sign-in-api.ts';
import type { EnvironmentsOfOrganization } from '#test/support/environments.ts';
import { fingerprintOf, shaOf } from '#test/support/evidence.ts';
import { logEverything } from '#test/support/log/exports.ts';
import { LOG_KEY } from '#test/support/log/log-entries.ts';
import { databaseAddress } from '#test/support/table.ts';
import type { Golden } from './golden-file.ts';
import { goldenServices, witnessedLogs } from './golden-services.ts';
import { readableGroups } from './read-again.ts';
import { fill, type Names, READS } from './reads.ts';
import { environmentsOfEachKind, evidenceOfEachKind } from './sample-evidence.ts';
import { people, STRANGER } from './sample-people.ts';
import { notifications, WITNESSED_ORIGIN, witnessed, work } from './sample-work.ts';
import { readStored } from './stored-data.ts';

/** Everything but the answers, and the names that requests use. */
export interface Sample extends Pick<Golden, 'items' | 'objects'> {
  about: Omit<Golden['about'], 'release'>;
  names: Names;
}

/** Writes every kind of record through the API, by the operator's commands and by the workers, and reads what is stored then. */
export async function writeSample(): Promise<Sample> {
  const { s3, ...services } = await goldenServices();
  const logs = witnessedLogs(LOG_KEY.publicKey);
  const { api, provider, enter } = await signInApi(readableGroups, { ...services, witness: { logs } });
  try {
    const acme = await organizationToForge(api);
    await evidenceOfEachKind(acme);
    await environmentsOfEachKind(acme);
    await people(api, acme, enter);
    await notifications(acme);
    await witnessed(api);
    await work(api, acme);
    await statements(acme, await namesOf(acme, api.services.clock.now()));
    await logEverything(api.services, acme.id);
    const readAt = api.services.clock.now();
    const names = await namesOf(acme, readAt);
    const stored = await readStored({ database: databaseAddress(), table: services.table.name, s3 });
    const callers = { admin: `${acme.org}-admin`, reader: `${acme.org}-reader`, stranger: STRANGER };
    return { ...stored, names, about: { readAt, callers, witnessed: logs } };
  } finally {
    await provider.stop();
  }
}

/** Has everything stated that can be: a read signs a statement once, and then it is stored. */
async function statements(acme: EnvironmentsOfOrganization, names: Names): Promise<void> {
  const reads = Object.entries(READS).filter(([operation]) => operation.endsWith('Statement'));
  const requests = reads.flatMap(([, templates]) => templates.flatMap((template) => fill(template, names)));
  for (const { path, query } of requests) await acme.get(path, query);
}

type Records = Record<string, unknown>[];

/** The names of the sample that requests use. Ids come from the lists of the API. */
async function namesOf(acme: EnvironmentsOfOrganization, now: Micros): Promise<Names> {
  const read = async (path: string, query = '', list?: string): Promise<Records> => {
    const { status, json, text } = await acme.get(path.replace('ORG', acme.org), query);
    if (status !== 200) throw new Error(`GET ${path}: ${text}`);
    return (list === undefined ? json : (json as Record<string, unknown>)[list]) as Records;
  };
  const all = (records: Records, field: string) => records.map((record) => String(record[field]));
  const attestations = await read('/attestations/ORG', 'per_page=100&page=1', 'data');
  const files = await Promise.all(
    all(attestations, 'attestation_id').map(async (id) => {
      const listed = await read(`/attestations/ORG/${id}/attachments`);
      return listed.map((_, n) => `${id}/attachments/${n}`);
    }),
  );
  const { checkpoint_size: size } = (await acme.get(`/log/${acme.org}`)).json as { checkpoint_size: number };
  const evaluations = await read('/evaluations/ORG', '', 'evaluations');
  const accountKeys = await read('/service-accounts/ORG/ci/api-keys');
  const fingerprints = ['cli', 'app', 'app-second', 'unknown'].map(fingerprintOf);
  const [cli, app, second] = fingerprints;
  return {
    org: [acme.org],
    flow: ['web', 'old', 'api', 'kinds', 'before', 'many'],
    trail: ['web/run', 'api/second', 'api/third', 'kinds/all'],
    artifact: [`web/fingerprint/${cli}`, `kinds/fingerprint/${app}`, `api/fingerprint/${second}`],
    fingerprint: fingerprints,
    commit: [shaOf('c'), shaOf('kinds')],
    repo: ['acme/web', 'acme/api'],
    trailAttestation: ['web/trail/run/review', ...ATTESTED.map((name) => `kinds/trail/all/${name}`)],
    artifactAttestation: [`kinds/artifact/${app}/scan`, `kinds/artifact/${app}/sbom`],
    attestation: all(attestations, 'attestation_id'),
    attachment: files.flat(),
    customType: ['coverage', 'load', 'tests', 'left'],
    action: all(await read('/actions/ORG'), 'number'),
    notification: all(await read('/organizations/ORG/environments_notifications'), 'number'),
    environment: ['prod', 'stage', 'all', 'gone', 'containers', ...KINDS],
    physical: ['prod', 'stage'],
    asserted: [fingerprintOf('cli'), fingerprintOf('unknown')],
    policy: ['strict', 'loose', 'controlled'],
    control: ['SOX-1', 'SOX-2', 'SOX-3', 'OLD-1'],
    evaluation: all(evaluations, 'id'),
    ended: all(
      evaluations.filter((one) => one['status'] === 'completed' && !('erased' in one)),
      'id',
    ),
    watch: ['lodash', 'other'],
    expectation: ['prod-reports', 'all-stages'],
    gap: all(await read('/gaps/ORG', '', 'gaps'), 'id'),
    root: ['release-key', 'old-key'],
    signer: ['release', 'old'],
    recall: ['leak', 'old-leak'],
    account: ['ci', 'deploy'],
    accountKey: all(accountKeys, 'id').map((id) => `ci/api-keys/${id}`),
    trust: all(await read('/trusts/ORG', '', 'trusts'), 'name'),
    personalKey: all(await read('/user/api-keys'), 'id'),
    auditEntry: all(await read('/audit/ORG', 'per_page=5', 'entries'), 'id'),
    export: all(await read('/exports/ORG', '', 'exports'), 'id'),
    tile: [
      '0/000',
      'entries/000',
      `0/001.p/${size % 256}`,
      `entries/001.p/${size % 256}`,
      `1/000.p/${Math.floor(size / 256)}`,
    ],
    witnessed: [originDigest(WITNESSED_ORIGIN)],
    instant: [String(toSeconds(now))],
  };
}

const KINDS = ['S3', 'lambda', 'K8S', 'ECS', 'azure-apps', 'cloud-run'];
const ATTESTED = ['unit', 'notes', 'cover', 'issue', 'jira', 'quality', 'review', 'verdict', 'uploaded', 'by-pipeline'];
