import * as z from 'zod';
import { endpoint } from '#shared/http/endpoint.ts';
import {
  badCheckpointRequest,
  checkpointRequestTooLarge,
  notConsistent,
  notSignedByLog,
  unknownLog,
} from '#shared/log/rules/sentences.ts';
import { ADD_CHECKPOINT, type AddServices, addCheckpoint } from '#shared/log/witness/add-checkpoint.ts';
import { formatSignatures } from '#shared/tlog/notes.ts';
import { formatSize, SIZE_TYPE } from '#shared/tlog/witness-request.ts';

/** POST /witness/add-checkpoint: cosigns a checkpoint of another log (rules/log.md#add-checkpoint). */
export const addCheckpointEndpoint = endpoint({
  operation: 'addCheckpoint',
  method: 'POST',
  path: '/witness/add-checkpoint',
  summary: 'Cosign a checkpoint of another log',
  description:
    'C2SP tlog-witness. The body has the line `old <size>`, a proof of consistency from that size with one hash in base64 per line, an empty line and the signed checkpoint. The answer has the signature line of the witness.',
  access: 'public',
  body: {
    kind: 'text',
    schema: z.string().regex(/^old /, { error: "Should begin with the line 'old <size>'" }),
    limit: 64 * 1024,
    tooLarge: checkpointRequestTooLarge,
  },
  produces: 'text',
  success: {
    200: z.string().meta({ description: 'Signature lines of the witness' }),
    409: z.string().meta({ description: 'The size of the checkpoint that the witness cosigned last' }),
  },
  contentTypes: { 409: SIZE_TYPE },
  errors: [badCheckpointRequest, notSignedByLog, unknownLog, notConsistent],
  uses: ADD_CHECKPOINT,
  handler: async ({ body }, services: AddServices) => {
    const added = await addCheckpoint(services, body);
    if (added.outcome === 'other size') return { status: 409, body: formatSize(added.size) };
    return { status: 200, body: formatSignatures([added.signature]) };
  },
});
