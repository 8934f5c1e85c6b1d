import * as z from 'zod';
import { toSeconds } from '#shared/base/time.ts';
import type { BuildArtifact } from '#shared/components/builds/build-artifacts.ts';
import { GRADES } from '#shared/evidence/rules/verification.ts';
import { trailUrl } from '#shared/evidence/trail-output.ts';
import type { HeldArtifact } from '#shared/exposure/ask-exposure.ts';

export const QuestionOut = z
  .object({
    package: z.string().describe('The package that is asked about, in canonical form'),
    purl: z.string().describe('`purl` as it was sent'),
    versions: z.string().nullable().describe('`versions` as it was sent; null without it'),
    as_of: z.number().describe('The instant that the answer is about, in seconds since the epoch'),
  })
  .meta({ id: 'ComponentQuestion' });

const HeldOut = z
  .object({
    package: z.string().nullable().describe('The package; null for a component without a package URL'),
    version: z.string().nullable().describe('Version of the component; null if the SBOM does not say it'),
    qualifiers: z.string().nullable().describe('Qualifiers of its package URL; null if there are none'),
    depth: z
      .enum(['direct', 'deeper'])
      .nullable()
      .describe(
        '`direct`: the subject of the SBOM depends on it; `deeper`: only others do; null if the SBOM does not say it',
      ),
    count: z.int().describe('Number of components that differ in nothing of this'),
    undecided: z.string().nullable().describe('Why nobody can say whether this version is meant; null if it is'),
  })
  .meta({ id: 'HeldComponent' });

export const SbomOut = z
  .object({
    attestation_id: z.string().describe('Id of the attestation'),
    attestation_name: z.string().describe('Name of the attestation'),
    flow_name: z.string().describe('Name of the flow'),
    trail_name: z.string().describe('Name of the trail'),
    html_url: z.string().describe('Address of a page of the trail, for people'),
    reported_at: z.number().describe('When it was reported, in seconds since the epoch'),
    format: z.string().nullable().describe('Format of the SBOM, such as `cyclonedx-1.6`'),
    grade: z.enum(GRADES).nullable().describe('Grade of a bundle; null for what came without a signature'),
    signer: z.string().nullable().describe('Name of the signer whose signature was verified; null if none was'),
    components: z.array(HeldOut).describe('The versions of the package that are asked about, or may be'),
  })
  .meta({ id: 'HoldingSbom' });

export const ArtifactOut = z
  .object({
    fingerprint: z.string().describe('SHA-256 of the artifact'),
    name: z.string().nullable().describe('Template reference name; null if the trail does not have the artifact'),
    commit: z
      .string()
      .nullable()
      .describe('Commit that it was built from; null if the trail does not have the artifact'),
  })
  .meta({ id: 'HoldingArtifact' });

export interface Place {
  host: string;
  /** Name of the organization. */
  org: string;
}

export const sbomOut = (
  { build, flowName, held }: Pick<HeldArtifact, 'build' | 'flowName' | 'held'>,
  { host, org }: Place,
): z.input<typeof SbomOut> => ({
  attestation_id: build.id,
  attestation_name: build.name,
  flow_name: flowName,
  trail_name: build.trail,
  html_url: trailUrl(host, org, flowName, build.trail),
  reported_at: toSeconds(build.at),
  format: build.format,
  grade: build.proof?.grade ?? null,
  signer: build.proof?.signer?.name ?? null,
  components: held.map(({ package: purl, version, qualifiers, depth, count, unknown }) => ({
    package: purl,
    version,
    qualifiers,
    depth,
    count,
    undecided: unknown,
  })),
});

export const artifactOut = ({ fingerprint, name, commit }: BuildArtifact): z.input<typeof ArtifactOut> => ({
  fingerprint,
  name,
  commit,
});
