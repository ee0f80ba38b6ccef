import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { DockerfileParser, type Instruction, type JSONInstruction } from 'dockerfile-ast';

export const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** A stage starts with `FROM image AS name`. */
export interface Stage {
  readonly name: string;
  readonly from: string;
  readonly instructions: readonly Instruction[];
}

export function readStages(): Stage[] {
  const stages: Stage[] = [];
  let instructions: Instruction[] = [];
  for (const instruction of DockerfileParser.parse(readFileSync(`${ROOT}Dockerfile`, 'utf8')).getInstructions()) {
    if (instruction.getKeyword() === 'FROM') {
      const words = instruction.getArguments().map((argument) => argument.getValue());
      const [from = '', , name = ''] = words.filter((word) => !word.startsWith('--'));
      instructions = [];
      stages.push({ name, from, instructions });
    } else {
      instructions.push(instruction);
    }
  }
  return stages;
}

/** Includes the instructions of base stages, nearest first. */
export function inherited(stages: readonly Stage[], name: string): Instruction[] {
  const stage = stages.find((each) => each.name === name);
  return stage ? [...[...stage.instructions].reverse(), ...inherited(stages, stage.from)] : [];
}

/** Parses `CMD ["a", "b"]`. Throws for the shell form. */
export function listIn(instruction: Instruction | undefined): string[] {
  const texts = (instruction as JSONInstruction | undefined)?.getJSONStrings?.() ?? [];
  return texts.map((text) => JSON.parse(text.getValue()) as string);
}

export function imagesOf(stages: readonly Stage[]): { readonly image: string; readonly project: string }[] {
  return stages
    .filter(({ from }) => from === 'runtime')
    .map(({ name }) => {
      const files = stages.find((stage) => stage.name === `${name}-files`);
      const [run] = files?.instructions ?? [];
      const project = /collect\.mjs (\S+) \/image$/.exec(run?.getArgumentsContent() ?? '')?.[1];
      if (!project) throw new Error(`The image ${name} has no files.`);
      return { image: name, project };
    });
}
