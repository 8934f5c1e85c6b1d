import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { compileFunction } from 'node:vm';

/** One instance of the jq engine. Each instance has its own memory. */
export interface JqInstance {
  /**
   * Runs a program on a document.
   * @returns the text that the program printed: one line of JSON for each output
   * @throws JqExit if the program does not compile or fails; after any other error the instance must not be used again
   */
  run(json: string, program: string): string;
  /** True after the engine exceeded its memory limit. The instance must not be used again. */
  readonly outOfMemory: boolean;
}

/** jq ended with an exit status other than 0: the program does not compile, or it failed. */
export class JqExit extends Error {
  constructor(message: string, cause: unknown) {
    super(message, { cause });
    this.name = 'JqExit';
  }
}

/** The function that we use of the engine's module, which exports a promise of its functions. */
interface JqModule {
  raw(json: string, program: string, flags: readonly string[]): string | undefined;
}

type Exports = Readonly<Record<string, unknown>>;

interface Memory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

/** The part of the global `WebAssembly` that is used here. The types of the runtime do not declare it. */
interface WasmApi {
  compile(binary: Uint8Array): Promise<object>;
  instantiate(module: object, imports: unknown): Promise<{ exports: Exports }>;
  Memory: new () => Memory;
  RuntimeError: ErrorConstructor;
}

// The types of the runtime do not declare the global.
const { WebAssembly: wasmApi } = globalThis as unknown as { WebAssembly: WasmApi };

const PAGE_BYTES = 65_536;

/**
 * The engine's own stack has 64 KB. A document of 40 nested arrays overflows it, and the overflow silently overwrites
 * the engine's data (docs/decisions/0003). With this size, endless recursion exhausts the machine stack first, which is
 * a clean error.
 */
const STACK_BYTES = 8 * 1024 * 1024;

/**
 * Loads the engine once.
 * @param jqPath the module file of the package; `jq.wasm` lies beside it
 * @returns a function that makes a new instance in a few milliseconds; instances share no state
 */
export async function loadJq(jqPath: string, memoryMb: number): Promise<() => Promise<JqInstance>> {
  const wasm = await wasmApi.compile(readFileSync(join(dirname(jqPath), 'jq.wasm')));
  const require = createRequire(jqPath);
  const names = ['module', 'exports', 'require', '__filename', '__dirname', 'WebAssembly'];
  const load = compileFunction(readFileSync(jqPath, 'utf8'), names, { filename: jqPath });
  return async () => {
    const state = { outOfMemory: false };
    // The script below replaces the member by its promise.
    const module = { exports: {} as Promise<JqModule> };
    const instantiate = async (_binary: unknown, imports: unknown) => {
      const instance = await wasmApi.instantiate(wasm, imports);
      enlargeStack(instance.exports);
      limitMemory(memoryOf(instance.exports), memoryMb, state);
      return { instance, module: wasm };
    };
    const ownWebAssembly = { RuntimeError: wasmApi.RuntimeError, instantiate };
    load(module, module.exports, require, jqPath, dirname(jqPath), ownWebAssembly);
    const { raw } = await module.exports;
    return {
      run: (json, program) => runRaw(raw, json, program),
      get outOfMemory() {
        return state.outOfMemory;
      },
    };
  };
}

function runRaw(raw: JqModule['raw'], json: string, program: string): string {
  try {
    return raw(json, program, ['-c']) ?? '';
  } catch (error) {
    if (error instanceof Error && typeof Reflect.get(error, 'exitCode') === 'number') {
      throw new JqExit(String(Reflect.get(error, 'stderr')), error);
    }
    throw error;
  }
}

function memoryOf(exports: Exports): Memory {
  // The next line checks what the member is.
  const { memory } = exports as { memory?: unknown };
  if (!(memory instanceof wasmApi.Memory)) throw new Error('the jq engine exports no memory');
  return memory;
}

/**
 * Moves the top of the stack and the start of the heap up by {@link STACK_BYTES}. The stack grows down from the address
 * at which the heap starts. A variable of the engine's allocator holds this address; it is found by its value, because
 * exactly one word of the initial memory has this value.
 */
function enlargeStack(exports: Exports): void {
  const current = exports['emscripten_stack_get_current'];
  const restore = exports['_emscripten_stack_restore'];
  if (typeof current !== 'function' || typeof restore !== 'function') throw new Error('the jq engine exports no stack');
  const top = Number(current());
  const words = new Uint32Array(memoryOf(exports).buffer, 0, top / Uint32Array.BYTES_PER_ELEMENT);
  const heapStart = words.indexOf(top);
  if (heapStart < 0 || words.indexOf(top, heapStart + 1) >= 0) throw new Error('the jq engine has no known heap start');
  words[heapStart] = top + STACK_BYTES;
  restore(top + STACK_BYTES);
}

/** Limits the memory. The engine requests memory only by `grow`, and ends cleanly if `grow` throws. */
function limitMemory(memory: Memory, memoryMb: number, state: { outOfMemory: boolean }): void {
  const grow = memory.grow.bind(memory);
  memory.grow = (pages) => {
    if (memory.buffer.byteLength + pages * PAGE_BYTES > memoryMb * 1024 * 1024) {
      state.outOfMemory = true;
      throw new RangeError('memory limit of the jq engine');
    }
    return grow(pages);
  };
}
