import type { OrganizationId } from '#shared/base/ids.ts';
import { cutMembers, parseKeepingRaw, RawJson, stringify } from '#shared/base/json-text.ts';
import type { StoredBody } from '#shared/bodies/bodies.ts';
import { readBody } from '#shared/bodies/bodies.ts';
import type { Objects } from '#shared/bodies/objects.ts';

import type { AttestationKind, CommonReport, Evidence } from '#shared/evidence/rules/attestation-kinds.ts';
import { type Commit, commitOf, type Link, linksOf, type RepoInfo } from '#shared/evidence/rules/shared-fields.ts';

/** Members that are stored as the text that was sent, so that digits of numbers and the order of members stay. */
const TEXTS = ['user_data', 'attestation_data'];

/**
 * The facts of an attestation record: everything that was reported, each fact once
 * (rules/attestations.md#attestation-record).
 */
interface Facts {
  description: string | null;
  origin_url: string | null;
  annotations: Record<string, string> | null;
  external_urls: Record<string, Link> | null;
  git_commit_info: Commit | null;
  repo_info: RepoInfo | null;
  evidence: Evidence;
  user_data: RawJson;
  attestation_data?: RawJson;
}

/** Returns the facts of a report as one JSON text. @param bodyText the JSON text that `body` was parsed from */
export function factsText(kind: AttestationKind, body: CommonReport, bodyText: string): string {
  const { user_data: userData = '{}', attestation_data: data } = cutMembers(bodyText, TEXTS);
  const facts: Facts = {
    description: body.description ?? null,
    origin_url: body.origin_url ?? null,
    annotations: body.annotations ?? null,
    external_urls: linksOf(body.external_urls),
    git_commit_info: commitOf(body.git_commit_info),
    repo_info: body.repo_info ?? null,
    evidence: kind.evidence(body),
    user_data: new RawJson(userData === 'null' ? '{}' : userData),
    ...(data !== undefined && { attestation_data: new RawJson(data) }),
  };
  return stringify(facts);
}

/** Reads the facts of a stored record; null if they were erased. */
export async function readFacts(objects: Objects, org: OrganizationId, body: StoredBody): Promise<Facts | null> {
  const text = await readBody(objects, org, body);
  // The service wrote the text from these fields, and the members of TEXTS stay texts.
  return text === null ? null : (parseKeepingRaw(text, TEXTS) as unknown as Facts);
}
