import * as z from 'zod';

/** Settings of a function, read once when it starts; the stacks set them together with the permission to use them. */
const Environment = z.object({
  TABLE_NAME: z.string().min(1),
  BUCKET_NAME: z.string().min(1),
  /** Absolute path of the engines' packaged child process; without it the child is run from its sources. */
  ENGINES_PATH: z.string().startsWith('/').optional(),
});
export type Environment = z.infer<typeof Environment>;

/**
 * The only reader of the process's environment besides entry points below `infra/`.
 * @throws Error naming the settings that are missing
 */
export const loadEnvironment = (source: Record<string, string | undefined> = process.env): Environment =>
  Environment.parse(source);
