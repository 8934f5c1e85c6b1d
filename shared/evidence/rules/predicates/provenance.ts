import * as z from 'zod';
import { checked, listed, listOf, Resource, shown, shownResource, text } from './fields.ts';

/** What was built, as the provenance says it. */
interface Source {
  /** Address of the repository, without `git+` before it and the ref behind it. */
  uri: string | null;
  ref: string | null;
  commit: string | null;
  /** The file in the repository that says how to build. */
  path: string | null;
}

const Builder = z.object({ id: z.string().min(1) });

const ProvenanceV02 = z.object({
  builder: Builder,
  buildType: z.string(),
  invocation: z.object({ configSource: Resource.extend({ entryPoint: text }).nullish() }).nullish(),
  metadata: z
    .object({ buildInvocationId: text, buildInvocationID: text, buildStartedOn: text, buildFinishedOn: text })
    .nullish(),
  materials: listOf(Resource),
});

const ProvenanceV1 = z.object({
  buildDefinition: z.object({
    buildType: z.string(),
    externalParameters: z.record(z.string(), z.unknown()).nullish(),
    resolvedDependencies: listOf(Resource),
  }),
  runDetails: z.object({
    builder: Builder,
    metadata: z.object({ invocationId: text, startedOn: text, finishedOn: text }).nullish(),
  }),
});

/**
 * Summarizes SLSA provenance.
 * @param type its predicate type, which says the version
 * @throws PredicateUnreadable
 */
export const readProvenance = (predicate: unknown, type: string) =>
  type.endsWith('/v1') ? readProvenanceV1(predicate) : readProvenanceV02(predicate);

function readProvenanceV02(predicate: unknown) {
  const { builder, buildType, invocation, metadata, materials } = checked(ProvenanceV02, predicate);
  const config = invocation?.configSource;
  const place = placeOf(config?.uri);
  return {
    builder: { id: shown(builder.id) },
    build_type: shown(buildType),
    source: config
      ? { ...place, commit: commitOf(config) ?? commitIn(place, materials), path: shown(config.entryPoint) }
      : null,
    invocation: shown(metadata?.buildInvocationId ?? metadata?.buildInvocationID),
    started_at: shown(metadata?.buildStartedOn),
    finished_at: shown(metadata?.buildFinishedOn),
    ...dependencies(materials),
  };
}

function readProvenanceV1(predicate: unknown) {
  const { buildDefinition, runDetails } = checked(ProvenanceV1, predicate);
  const { buildType, externalParameters, resolvedDependencies } = buildDefinition;
  const { builder, metadata } = runDetails;
  return {
    builder: { id: shown(builder.id) },
    build_type: shown(buildType),
    source: sourceOf(externalParameters ?? {}, resolvedDependencies),
    invocation: shown(metadata?.invocationId),
    started_at: shown(metadata?.startedOn),
    finished_at: shown(metadata?.finishedOn),
    ...dependencies(resolvedDependencies),
  };
}

type Resources = readonly z.output<typeof Resource>[] | null | undefined;

const dependencies = (all: Resources) => ({
  dependencies: listed(all, shownResource),
  dependency_count: all?.length ?? 0,
});

/** Workflows of code hosts name their repository, their ref and their file; other builders name one address. */
const Workflow = z.object({ repository: z.string(), ref: text, path: text });
const PlainSource = z.union([z.string().transform((uri) => ({ uri })), Resource]);

/** Each type of build has parameters of its own. These are the names under which known types put their source. */
const PARAMETERS = ['workflow', 'buildConfigSource', 'source', 'configSource'] as const;

function sourceOf(parameters: Readonly<Record<string, unknown>>, resolved: Resources): Source | null {
  for (const name of PARAMETERS) {
    const workflow = Workflow.safeParse(parameters[name]);
    if (workflow.success) {
      const { repository, ref, path } = workflow.data;
      const place = { uri: placeOf(repository).uri, ref: shown(ref) ?? placeOf(repository).ref };
      return { ...place, commit: commitIn(place, resolved), path: shown(path) };
    }
    const plain = PlainSource.safeParse(parameters[name]);
    if (plain.success && plain.data.uri) {
      const place = placeOf(plain.data.uri);
      return { ...place, commit: commitOf(plain.data) ?? commitIn(place, resolved), path: null };
    }
  }
  return null;
}

type Place = Pick<Source, 'uri' | 'ref'>;

/** Cuts an address such as `git+https://host/owner/repository@refs/heads/main`. A user before the host is part of the address. */
function placeOf(address: string | null | undefined): Place {
  const whole = shown(address)?.replace(/^git\+/, '') ?? null;
  const [, uri, ref] = /^([a-z][a-z\d+.-]*:\/\/[^/]*\/.*?)@(refs\/.+|[^/@]+)$/i.exec(whole ?? '') ?? [];
  return uri === undefined || ref === undefined ? { uri: whole, ref: null } : { uri, ref };
}

function commitOf({ digest }: Partial<z.output<typeof Resource>>): string | null {
  return shown(digest?.gitCommit) ?? shown(digest?.sha1);
}

/** The commit of the dependency at the place of the source. Null if several dependencies say different commits. */
function commitIn({ uri, ref }: Place, resolved: Resources): string | null {
  if (uri === null) return null;
  const same = (resolved ?? []).filter((one) => {
    const place = placeOf(one.uri);
    return place.uri === uri && (place.ref === null || ref === null || place.ref === ref);
  });
  const [commit, ...others] = new Set(same.map(commitOf).filter((one) => one !== null));
  return others.length === 0 ? (commit ?? null) : null;
}
