import { invalid } from '#shared/base/errors.ts';
import { type AttestationId, type Fingerprint, newId } from '#shared/base/ids.ts';
import type { FlowName, TrailName } from '#shared/base/names.ts';
import type { Micros } from '#shared/base/time.ts';
import { sha256Hex } from '#shared/bodies/bodies.ts';
import type { FilePart } from '#shared/bodies/file-part.ts';
import type { Author } from '#shared/callers/author.ts';
import { readTrust, type Trusted } from '#shared/signers/read-trust.ts';
import { claimedFiles, type ReportedFiles } from '../attachments.ts';
import type { DecisionBinding } from '../judge-attestation.ts';
import { type AttestingServices, planAttestation } from '../record-attestation.ts';
import type { AttachmentFile } from '../records/attestation-records.ts';
import { namedBy } from '../records/signed-trails.ts';
import type { Situation } from '../records/trails.ts';
import { type Reported, type ReportPlan, report, startOnce, startRepo } from '../reporting.ts';
import { bindBundle } from '../rules/bundles/bind-bundle.ts';
import type { OpenedBundle } from '../rules/bundles/inspect-bundles.ts';
import {
  MOST_DECIDING,
  MOST_NAMED,
  MOST_OF_BUNDLES,
  tooManyNamed,
  tooManyOfBundles,
} from '../rules/bundles/sentences.ts';
import { type BundleReport, bundleKind } from '../rules/kinds/bundle.ts';
import { recallsOf } from '../rules/recalled.ts';
import { type SlotProof, slotProof } from '../rules/slot-proof.ts';
import { fieldsFrom } from '../rules/trail-report.ts';
import { EMPTY_TRAIL, type RecallName } from '../rules/trail-state.ts';
import type { Verification } from '../rules/verification.ts';

/** What was made of one bundle and one thing that it is about. */
export interface MadeFromBundle {
  id: AttestationId;
  type: string;
  fingerprint: Fingerprint | null;
  verification: Verification;
  /** The recalls that the signature falls under: the attestation is stored and does not count. */
  recalls: RecallName[];
}

/** A report with a file of bundles. */
export interface ReportedBundles {
  body: BundleReport;
  /** The JSON text that `body` was parsed from. */
  bodyText: string;
  /** The part of the form; undefined if the body names an upload. */
  file: FilePart | undefined;
  /** The part with the file that bundles without a statement sign; undefined if the body names an upload, or if there is none. */
  signedFile: FilePart | undefined;
  /** Whether a bundle that is not verified is refused. One that decides about a control always is. */
  isSignedRequired: boolean;
}

/** The part of a form, and the member of the document, with the file that bundles without a statement sign. */
export const SIGNED_FILE = 'signed_file';

/** Media type and ending of the attachment. */
const BUNDLE_TYPE = 'application/vnd.dev.sigstore.bundle+json';

/** A report whose file was read. */
interface OpenedReport extends Omit<ReportedBundles, 'file'> {
  bundles: OpenedBundle[];
  /** Whose signatures count: the read has begun. */
  trust: () => Promise<Trusted>;
}

/**
 * Verifies bundles as signatures of the organization's signers, and records one attestation for each bundle and each artifact of the
 * trail that it is about. All of them are one transaction (rules/verified-evidence.md#report-a-bundle).
 *
 * @throws ServiceError `invalid` if the file holds no bundles or is about nothing in the trail, and where a signature is required if it is not
 *   verified, or is recalled
 */
export const recordBundles = async (
  services: AttestingServices,
  by: Author<Reported<MadeFromBundle[]>>,
  target: { flow: FlowName; trail: TrailName },
  reported: ReportedBundles,
  binding: DecisionBinding,
): Promise<Reported<MadeFromBundle[]>> =>
  recordOpened(services, by, target, await openReported(services, by, reported), binding);

/** Reads the file of a report, and starts to read whose signatures count. @throws ServiceError `invalid` */
export async function openReported(
  services: AttestingServices,
  by: Pick<Author<unknown>, 'org'>,
  { file, signedFile, ...report }: ReportedBundles,
): Promise<OpenedReport> {
  const { body } = report;
  const trust = startOnce(() => readTrust(services, by.org, body.signer ?? undefined));
  const [bytes, signed] = await Promise.all([
    file?.bytes ?? readUploaded(services, by, body.attachments ?? []),
    signedFile ?? (body.signed_file == null ? undefined : readSignedUpload(services, by, body.signed_file)),
  ]);
  return { ...report, bundles: await openFile(bytes, signed?.bytes), signedFile: signed, trust };
}

/** Verifies the bundles of a report and records them in a trail, as {@link recordBundles} says. */
export async function recordOpened(
  services: AttestingServices,
  by: Author<Reported<MadeFromBundle[]>>,
  target: { flow: FlowName; trail: TrailName },
  { body, bodyText, isSignedRequired, bundles, signedFile, trust }: OpenedReport,
  binding: DecisionBinding,
): Promise<Reported<MadeFromBundle[]>> {
  const repo = startRepo(services, by.org, body.repo_info);
  const verified = startOnce(async () => {
    const all = verifyAll(bundles, await trust(), services.clock.now());
    if (isSignedRequired || body.control != null) requireSigned(all);
    return all;
  });
  /** Ids are the same in each attempt, so that a repeated transaction is recognized. */
  const ids = new Map<string, AttestationId>();
  const idOf = (key: string) => {
    const id = ids.get(key) ?? newId(services.clock.now());
    ids.set(key, id);
    return id;
  };
  const decide = async (situation: Situation): Promise<ReportPlan<MadeFromBundle[]>> => {
    const all = await verified();
    const place = { ...target, org: by.org.name };
    const trail = trailOf(situation);
    const bound = all.flatMap((one) =>
      bindBundle(one.bundle, trail, body.artifact_fingerprint ?? null, place).map((fingerprint) => ({
        ...one,
        fingerprint,
      })),
    );
    const most = body.control == null ? MOST_OF_BUNDLES : MOST_DECIDING;
    if (bound.length > most) throw tooManyOfBundles({ count: bound.length, most });
    const named = namedBy(bound.map(({ proof }) => proof)).length;
    if (named > MOST_NAMED) throw tooManyNamed({ count: named });
    const reportedRepo = await repo(situation.trail?.state);
    const planned = bound.map(({ bundle, verification, recalls, fingerprint }) => {
      const id = idOf(`${bundle.digest}:${fingerprint}`);
      const reported = {
        kind: bundleKind(bundle.kind, body.control, verification),
        body: { ...body, artifact_fingerprint: fingerprint, attachments: null },
        bodyText,
        files: [attachmentOf(bundle), ...(signedFile && bundle.isOfFile ? [signedFile] : [])],
        id,
        known: { verification },
        repo: async () => reportedRepo,
      };
      const made = { id, type: bundle.kind, fingerprint, verification, recalls };
      return { made, plan: planAttestation(services, by, target, reported, binding) };
    });
    const plans = await Promise.all(planned.map(({ plan }) => plan(situation)));
    return together(
      planned.map(({ made }) => made),
      plans,
    );
  };
  return report(services, by, target, decide, { fields: bundles.some(({ commits }) => commits.length > 0) });
}

/** Joins the plans of several attestations to one. The repository belongs to the first. */
function together<M>(made: M[], plans: readonly ReportPlan<unknown>[]): ReportPlan<M[]> {
  return {
    made,
    writes: plans[0]?.writes ?? [],
    upload: () => Promise.all(plans.map((plan) => plan.upload?.())),
    drafts: plans.flatMap(({ drafts }, i) =>
      i === 0
        ? drafts
        : drafts.map((draft) => ({ ...draft, changes: draft.changes.filter(({ kind }) => kind !== 'repo') })),
    ),
  };
}

/** What bundles are compared with: the artifacts of the trail, and its commits. */
const trailOf = ({ trail, fields }: Situation) => {
  const reports = [...(trail?.state ?? EMPTY_TRAIL).artifacts.values()];
  const own = fieldsFrom(fields?.text ?? null).git_commit_info?.sha1;
  return {
    artifacts: new Set(reports.map(({ fingerprint }) => fingerprint)),
    commits: new Set([...reports.map(({ commit }) => commit), ...(own === undefined ? [] : [own])]),
  };
};

/** @throws ServiceError `invalid` */
async function openFile(bytes: Uint8Array, signedFile: Buffer | undefined): Promise<OpenedBundle[]> {
  // Loaded at the first use: the libraries that verify are larger than the rest of the function.
  const { openBundles } = await import('../rules/bundles/inspect-bundles.ts');
  const opened = openBundles(bytes, signedFile);
  if ('refused' in opened) throw invalid({ bundle_file: opened.refused });
  return opened.bundles;
}

async function readUploaded(
  services: AttestingServices,
  { org }: Pick<Author<unknown>, 'org'>,
  uploads: readonly string[],
): Promise<Uint8Array> {
  const claimed = await claimedFiles(services, org, uploads);
  const [file] = claimed.files;
  if (!file) throw new Error('A report without a bundle passed its checks');
  return bytesOf(claimed, file);
}

/** Reads an upload with the file that bundles sign, as if it had come inside the request. @throws ServiceError `invalid` */
async function readSignedUpload(
  services: AttestingServices,
  { org }: Pick<Author<unknown>, 'org'>,
  upload: string,
): Promise<FilePart> {
  const claimed = await claimedFiles(services, org, [upload], () => SIGNED_FILE);
  const [file] = claimed.files;
  if (!file) throw new Error('An upload that was found is not there');
  const bytes = Buffer.from(await bytesOf(claimed, file));
  return { part: SIGNED_FILE, filename: file.filename, contentType: file.type, bytes };
}

async function bytesOf({ read }: ReportedFiles, { sha256 }: AttachmentFile): Promise<Uint8Array> {
  const bytes = await read(sha256);
  // The bucket was asked for this digest just before.
  if (bytes === null || sha256Hex(bytes) !== sha256) throw new Error('An upload has changed while it was read');
  return bytes;
}

interface VerifiedFile {
  bundle: OpenedBundle;
  verification: Verification;
  proof: SlotProof | undefined;
  /** The recalls that the signature falls under. */
  recalls: RecallName[];
}

/** @param at when the bundles are reported */
const verifyAll = (bundles: readonly OpenedBundle[], trust: Trusted, at: Micros): VerifiedFile[] =>
  bundles.map((bundle) => {
    const verification = bundle.verify(trust);
    const proof = slotProof({ verification });
    return { bundle, verification, proof, recalls: recallsOf({ proof, at }, trust.recalls) };
  });

/**
 * Requires that each bundle is verified, and that its signature counts.
 * @throws ServiceError `invalid` with the sentence of each bundle of which one of them is not so
 */
function requireSigned(all: readonly VerifiedFile[]): void {
  const failed = all.flatMap(({ verification: { error, signer }, recalls }) => {
    if (error !== null) return [error];
    const names = recalls.map(({ name }) => `'${name}'`).join(' and ');
    return names === '' ? [] : [`The signature of '${signer?.name}' was recalled by ${names}, so it does not count`];
  });
  if (failed.length > 0) throw invalid({ bundle_file: [...new Set(failed)].join('; ') });
}

const attachmentOf = ({ text, digest }: OpenedBundle): FilePart => ({
  part: 'bundle_file',
  filename: `${digest}.sigstore.json`,
  contentType: BUNDLE_TYPE,
  bytes: Buffer.from(text, 'utf8'),
});
