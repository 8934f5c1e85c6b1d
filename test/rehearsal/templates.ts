import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { ROOT } from '#test/run/tool.ts';
import { run } from './run.ts';

const Resource = z.looseObject({
  Type: z.string(),
  Properties: z.record(z.string(), z.unknown()).optional(),
});

const StackTemplate = z.looseObject({ Resources: z.record(z.string(), Resource) });
export type StackTemplate = z.infer<typeof StackTemplate>;

const StageTemplates = z.strictObject({ stateful: StackTemplate, service: StackTemplate, watch: StackTemplate });
/** The templates of a stage. */
export type StageTemplates = z.infer<typeof StageTemplates>;

/** The stacks of a stage, in the order of their deployment. */
export const PARTS = ['stateful', 'service', 'watch'] as const;
export type Part = (typeof PARTS)[number];

/**
 * Synthesizes the templates of the stage with the code of a checkout. Functions are empty archives.
 *
 * @param program the file `synthesize.ts` in that checkout
 * @param settings settings besides the optional ones, as on the command line of the CDK
 */
export async function synthesize(
  folder: string,
  signal: AbortSignal,
  { settings = {}, checkout = ROOT }: { settings?: Readonly<Record<string, unknown>>; checkout?: string } = {},
): Promise<StageTemplates> {
  const program = join(checkout, 'test/rehearsal/synthesize.ts');
  await run(process.execPath, [program, folder, JSON.stringify(settings)], signal, { cwd: checkout });
  return StageTemplates.parse(JSON.parse(readFileSync(join(folder, 'templates.json'), 'utf8')));
}

/** The resources of all stacks, with stack and logical id. */
export const resourcesOf = (templates: StageTemplates) =>
  PARTS.flatMap((part) =>
    Object.entries(templates[part].Resources).map(([id, resource]) => ({ part, id, ...resource })),
  );
