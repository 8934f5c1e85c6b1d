import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Template } from 'aws-cdk-lib/assertions';
import type { EndpointGroup } from '#shared/http/endpoint.ts';
import { writeZip } from './bundles/zip.ts';
import { createApp, Region } from './deployment.ts';
import { DEFAULT_STAGES, type GivenStages, readStages } from './stages/stages.ts';

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
 * Synthesizes the templates of every stage, for tests and documents. All functions have the empty archive: the
 * templates differ from deployed ones only in the hash of the archive.
 *
 * @param folder folder for files of the CDK
 * @param stages the stages with their settings, as a file has them
 * @param context context of the CDK, as flags give it
 * @returns the templates by the name of the stage
 */
export function synthesizeTemplates(
  folder: string,
  groups: readonly EndpointGroup[],
  stages: GivenStages = DEFAULT_STAGES,
  context: Record<string, unknown> = {},
): Map<string, RegionTemplates> {
  const zip = writeEmptyZip(folder);
  const app = createApp({ context, outdir: join(folder, 'cdk.out') });
  const regions = readStages(stages, 'cdk.json').map(
    (stage) => [stage.name, new Region(app, { stage, groups, zipOf: () => zip })] as const,
  );
  // All stacks are added before the first template is read: reading synthesizes the app, and nothing can be added then.
  return new Map(
    regions.map(([name, { stateful, service, watch }]) => [
      name,
      {
        stateful: Template.fromStack(stateful),
        service: Template.fromStack(service),
        watch: Template.fromStack(watch),
      },
    ]),
  );
}

/** Returns the templates of one stage. @throws Error if there is no such stage */
export function stageTemplates(templates: ReadonlyMap<string, RegionTemplates>, name: string): RegionTemplates {
  const found = templates.get(name);
  if (!found) throw new Error(`There are no templates of the stage ${name}`);
  return found;
}
