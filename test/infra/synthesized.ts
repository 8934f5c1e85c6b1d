import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Template } from 'aws-cdk-lib/assertions';
import { afterAll } from 'vitest';
import { groups } from '#functions/groups.ts';
import type { GivenStages } from '#infra/stages/stages.ts';
import { type RegionTemplates, stageTemplates, synthesizeTemplates } from '#infra/templates.ts';
import type { Endpoint, EndpointGroup } from '#shared/http/endpoint.ts';

/** Creates a folder that is removed after the last test of the file. */
export function temporaryFolder(prefix: string): string {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The templates of the two stages that most tests look at. */
type BothStages = Record<'eu' | 'us', RegionTemplates>;

/**
 * Synthesizes the templates of the stages `eu` and `us` with the given endpoint groups.
 *
 * @param settings settings of the two stages
 * @param context context of the CDK, as flags give it
 */
export function synthesize(
  groups: readonly EndpointGroup[],
  settings: GivenStages = {},
  context: Record<string, unknown> = {},
): BothStages {
  const folder = mkdtempSync(join(tmpdir(), 'templates-'));
  try {
    const templates = synthesizeTemplates(folder, groups, { eu: {}, us: {}, ...settings }, context);
    return { eu: stageTemplates(templates, 'eu'), us: stageTemplates(templates, 'us') };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const kept = new Map<string, BothStages>();

/**
 * Returns the templates of the whole service. Test files that run in the same worker share the templates of the same
 * settings, so a test must not change them.
 */
export function serviceTemplates(settings: GivenStages = {}): BothStages {
  const key = JSON.stringify(settings);
  const templates = kept.get(key) ?? synthesize(groups, settings);
  kept.set(key, templates);
  return templates;
}

/** Returns an endpoint definition with the parts that the stacks read, and no others. */
export const aRoute = (method: Endpoint['method'], path: string, uses?: Endpoint['uses']): Endpoint =>
  ({ method, path, operation: `${method} ${path}`, ...(uses && { uses }) }) as Endpoint;

/** Returns the properties of every resource of a type by logical id. @typeParam P the shape of the properties */
export const resourcesOf = <P>(template: Template, type: string): Record<string, P> =>
  Object.fromEntries(
    Object.entries(template.findResources(type)).map(([id, resource]) => [id, resource['Properties'] as P]),
  );
