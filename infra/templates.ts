import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Template } from 'aws-cdk-lib/assertions';
import type { EndpointGroup } from '#shared/http/endpoint.ts';
import { writeZip } from './bundles/zip.ts';
import { createApp, Region } from './deployment.ts';
import { readStages, type StageName } from './stages.ts';

export interface RegionTemplates {
  stateful: Template;
  service: Template;
}

/** An archive that takes the place of functions' own. @returns its path */
export function emptyZip(folder: string): string {
  mkdirSync(folder, { recursive: true });
  const zip = join(folder, 'empty.zip');
  writeFileSync(zip, writeZip([{ name: 'index.js', bytes: Buffer.from('exports.handler = undefined;') }]));
  return zip;
}

/**
 * The templates of every region as they would be deployed, for looking at: the functions' archives are empty, which
 * spares the bundling and changes nothing that a template says but a hash.
 *
 * @param folder where the toolkit may leave files
 */
export function templatesOf(
  folder: string,
  groups: readonly EndpointGroup[],
  context: Record<string, unknown> = {},
): Record<StageName, RegionTemplates> {
  const zip = emptyZip(folder);
  const app = createApp({ context, outdir: join(folder, 'cdk.out') });
  const regions = readStages(app.node.getAllContext()).map(
    (stage) => [stage.name, new Region(app, { stage, groups, zipOf: () => zip })] as const,
  );
  // Templates come last: the app may not grow once it was synthesized.
  const templates = regions.map(([name, { stateful, service }]): [StageName, RegionTemplates] => [
    name,
    { stateful: Template.fromStack(stateful), service: Template.fromStack(service) },
  ]);
  return Object.fromEntries(templates) as Record<StageName, RegionTemplates>;
}
