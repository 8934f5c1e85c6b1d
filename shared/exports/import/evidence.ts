import * as z from 'zod';
import { storedFingerprint } from '#shared/base/ids.ts';
import { decisionBinding } from '#shared/controls/decision-binding.ts';
import { ArtifactRecord, artifactWrites, type FlowPresence } from '#shared/evidence/records/artifact-records.ts';
import { AttachmentFile, AttestationRecord, attestationWrites } from '#shared/evidence/records/attestation-records.ts';
import { fingerprintFlowKey } from '#shared/evidence/records/keys.ts';
import { isDecision } from '#shared/evidence/rules/decisions.ts';
import type { Item } from '#shared/table/table.ts';
import type { ImportFamily } from './family.ts';
import { entryId, Hex, putsOf, type Restoring, restoredBody, restoredText, ShownBody } from './restored.ts';
import type { ImportSource } from './source.ts';

/** Attestations with their files, reports of artifacts, and builds. */

const SealsOfLine = {
  salt: Hex,
  findingsSalt: Hex.optional(),
  commitments: z.object({ record: Hex, facts: Hex, findings: Hex.optional() }),
  facts: ShownBody,
};

const FileLine = AttachmentFile.omit({ version: true }).extend({ commitment: Hex, salt: Hex.optional() });
const AttestationLine = AttestationRecord.omit({ pledges: true }).extend({
  ...SealsOfLine,
  files: z.array(FileLine),
});
const ArtifactLine = ArtifactRecord.omit({ pledges: true }).extend(SealsOfLine);

const DecisionFacts = z.object({ evidence: z.object({ control: z.string() }) });

const attestations: ImportFamily = {
  name: 'attestations',
  kinds: ['attestation'],
  async *items(restoring) {
    const versions = await storeAttachments(restoring);
    const controls = await controlsOfEvaluations(restoring.source);
    for await (const line of restoring.source.lines('attestations')) {
      const { commitments: pledges, facts: shown, files, ...rest } = AttestationLine.parse(line);
      const { body: facts, items } = await restoredBody(restoring, shown, `attestation:${rest.id}`);
      const stored = files.map((file) => ({ ...file, version: versions.get(file.sha256) ?? null }));
      const record: AttestationRecord = { ...rest, pledges, facts, files: stored };
      const entry = entryId(rest.at, rest.id);
      const { org } = restoring;
      yield [...putsOf(attestationWrites(org, record, entry, () => undefined)), ...items];
      if (!isDecision(rest)) continue;
      const control = controls.get(rest.id) ?? (await controlIn(restoring, shown));
      yield putsOf(decisionBinding.writes(org, control, record, entry));
    }
  },
};

async function controlIn(restoring: Restoring, facts: ShownBody): Promise<string> {
  return DecisionFacts.parse(JSON.parse(await restoredText(restoring, facts))).evidence.control;
}

const Decided = z.object({ decisionId: z.string(), decision: z.object({ control: z.string() }) });

/** Returns the controls of the decisions that evaluations recorded. No erasure removes them, other than the text of a decision. */
async function controlsOfEvaluations(source: ImportSource): Promise<Map<string, string>> {
  const controls = new Map<string, string>();
  for await (const line of source.lines('evaluations')) {
    const { data } = Decided.safeParse(line);
    if (data) controls.set(data.decisionId, data.decision.control);
  }
  return controls;
}

const ErasedDecision = z.object({
  id: z.string(),
  type: z.string(),
  derived: z.record(z.string(), z.unknown()),
  facts: z.object({ erased: z.record(z.string(), z.unknown()) }),
});

/** Returns the ids of decisions whose controls the export does not name any more. */
export async function decisionsWithoutControl(source: ImportSource): Promise<string[]> {
  const controls = await controlsOfEvaluations(source);
  const lost: string[] = [];
  for await (const line of source.lines('attestations')) {
    const { data } = ErasedDecision.safeParse(line);
    if (data && isDecision(data) && !controls.has(data.id)) lost.push(data.id);
  }
  return lost;
}

/** Stores the attachments, also those that no attestation names. @returns their versions in the bucket */
async function storeAttachments({ objects, org, source }: Restoring): Promise<Map<string, string | null>> {
  const versions = new Map<string, string | null>();
  for (const sha256 of source.attachments()) {
    versions.set(sha256, await objects.putFile(org, sha256, await source.read(`data/files/${sha256}`)));
  }
  return versions;
}

const artifacts: ImportFamily = {
  name: 'artifacts',
  kinds: ['artifact'],
  async *items(restoring) {
    const { org } = restoring;
    const first = await firstReports(restoring);
    const inTrails = new Set<string>();
    const presences = new Map<string, FlowPresence>();
    for await (const line of restoring.source.lines('artifacts')) {
      const { commitments: pledges, facts: shown, ...rest } = ArtifactLine.parse(line);
      const { id, flow, trail, fingerprint, name, at } = rest;
      const { body: facts, items } = await restoredBody(restoring, shown, `artifact:${id}`);
      const inTrail = `${flow} ${trail} ${fingerprint}`;
      const isFirst = { inOrganization: first.has(id), inTrail: !inTrails.has(inTrail) };
      inTrails.add(inTrail);
      const refused = { seen: () => undefined, again: () => undefined };
      const writes = artifactWrites(org, { ...rest, pledges, facts }, entryId(at, id), isFirst, refused);
      // The presence in the flow is an update for reports that come one after another. Here all are known.
      yield [...putsOf(writes.filter((write) => !('update' in write))), ...items];
      const place = `${flow} ${fingerprint}`;
      const known = presences.get(place);
      if (known && known.at > at) continue;
      presences.set(place, { flow, trail, artifact: id, name, at, first: known?.first ?? at });
    }
    yield presenceItems(restoring, presences);
  },
};

const presenceItems = ({ org }: Restoring, presences: ReadonlyMap<string, FlowPresence>): Item[] =>
  [...presences].map(([place, presence]) => {
    const [, fingerprint = ''] = place.split(' ');
    return { ...fingerprintFlowKey(org, storedFingerprint(fingerprint), presence.flow), v: 1, ...presence };
  });

/** Returns the ids of the reports that were the first of their fingerprint in the organization. */
async function firstReports({ source }: Restoring): Promise<Set<string>> {
  const first = new Set<string>();
  for await (const line of source.lines('builds')) first.add(String(line['artifact']));
  return first;
}

/** Builds are stored with the reports that made them. */
const builds: ImportFamily = { name: 'builds', kinds: ['build'], async *items() {} };

export const EVIDENCE_FAMILIES: readonly ImportFamily[] = [attestations, artifacts, builds];
