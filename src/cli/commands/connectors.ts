import { allConnectors } from '../../../connectors/registry.ts';
import { connectorRow } from '../../service/connector-list.ts';
import { connectorMatrix } from '../../service/connector-matrix.ts';
import type { CommandCall } from '../command.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { formatTable } from '../output.ts';

/** `backflow connectors`: the matrix of what can be written where. */
export async function connectors({ output, options }: CommandCall): Promise<ExitCode> {
  const rows = allConnectors().map(connectorRow);
  if (options.markdown === true) {
    output.answer(rows, () => connectorMatrix(allConnectors()));
    return EXIT.ok;
  }
  output.answer(rows, () =>
    formatTable(
      ['CONNECTOR', 'SERVICE TYPES', 'ASPECT', 'LEVEL', 'SET', 'CLEAR', 'PROVEN ON', 'KINDS OF OBJECT'],
      rows.flatMap((row) =>
        row.abilities.map((ability) => [
          row.connector,
          row.serviceTypes.join(', '),
          ability.aspect,
          ability.level,
          ability.set ? 'yes' : 'no',
          ability.clear ? 'yes' : 'no',
          ability.provenOn === 'real' ? 'real engine' : 'fake',
          ability.kinds.join(', '),
        ]),
      ),
    ),
  );
  return EXIT.ok;
}
