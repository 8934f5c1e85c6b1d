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
  watch: Template;
}

/**
 * Writes an archive with an empty handler. Templates can be synthesized with it without bundling the functions.
 *
 * @returns the path of the archive
 */
export function writeEmptyZip(folder: string): string {
  mkdirSync(folder, { recursive: true });
  const zip = join(folder, 'empty.zip');
  writeFileSync(zip, writeZip([{ name: 'index.js', bytes: Buffer.from('exports.handler = undefined;') }]));
  return zip;
}

/**
 * Synthesizes the templates of every region, for tests and documents. All functions have the empty archive: the
 * templates differ from deployed ones only in the hash of the archive.
 *
 * @param folder folder for files of the CDK
 * @param context settings as on the command line
 */
export function synthesizeTemplates(
  folder: string,
  groups: readonly EndpointGroup[],
  context: Record<string, unknown> = {},
): Record<StageName, RegionTemplates> {
  const zip = writeEmptyZip(folder);
  const app = createApp({ context, outdir: join(folder, 'cdk.out') });
  const regions = readStages(app.node.getAllContext()).map(
    (stage) => [stage.name, new Region(app, { stage, groups, zipOf: () => zip })] as const,
  );
  // All stacks are added before the first template is read: reading synthesizes the app, and nothing can be added then.
  const templates = regions.map(([name, { stateful, service, watch }]): [StageName, RegionTemplates] => [
    name,
    {
      stateful: Template.fromStack(stateful),
      service: Template.fromStack(service),
      watch: Template.fromStack(watch),
    },
  ]);
  // The settings have every stage, which `Object.fromEntries` cannot say.
  return Object.fromEntries(templates) as Record<StageName, RegionTemplates>;
}
