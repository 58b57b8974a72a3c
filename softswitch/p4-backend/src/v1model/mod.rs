// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! v1model: the whole program, block after block.
//!
//! | file | holds |
//! |---|---|
//! | `mod.rs` | the blocks of `V1Switch` and the parameters that they share |
//! | `calls.rs` | functions, and methods of objects |
//! | `calls_2021.rs` | functions that p4c took out |
//! | `objects.rs` | the objects themselves, in the JSON |
//! | `tables.rs` | properties of tables |

mod calls;
mod calls_2021;
mod objects;
mod tables;

use quench_p4_frontend::ir::{self, ExternId, Type, TypeId, Value};
use quench_p4_frontend::span::Span;
use quench_p4_frontend::{SourceMap, Warning};

use crate::annotation;
use crate::emit::{self, Emitter, ParserKind};
use crate::error::{not_supported, Error, Result, Warnings};
use crate::json::{self, Expr};
use crate::layout::{Class, STANDARD_METADATA};
use crate::lower::Architecture;
use crate::lower::{Block, BlockKind, FieldList, Lower, LoweredTable, Value as Lowered};
use crate::place::{Leaf, Place};
use crate::program;

/// Enums that v1model itself declares. The packet state never holds their values.
const V1MODEL_ENUMS: [&str; 4] = ["CounterType", "MeterType", "HashAlgorithm", "CloneType"];

const PARSER: Block = block(BlockKind::Parser, "the parser");
const VERIFY_CHECKSUM: Block = block(BlockKind::Checksums, "checksum verification");
const INGRESS: Block = block(BlockKind::Pipeline, "ingress");
const EGRESS: Block = block(BlockKind::Pipeline, "egress");
const COMPUTE_CHECKSUM: Block = block(BlockKind::Checksums, "checksum computation");
const DEPARSER: Block = block(BlockKind::Deparser, "the deparser");

const fn block(kind: BlockKind, name: &'static str) -> Block {
    Block { kind, name }
}

const KIND: ParserKind = ParserKind {
    name: "parser",
    id: 0,
    has_reject: false,
};

/// The architecture of BMv2's simple_switch.
pub struct V1Model {
    /// The calls that p4c took out at the end of 2021 are there too.
    of_2021: bool,
}

pub static CURRENT: V1Model = V1Model { of_2021: false };
pub static OF_2021: V1Model = V1Model { of_2021: true };

impl Architecture for V1Model {
    fn translate(
        &self,
        ir: &ir::Program,
        sources: &SourceMap,
        program_name: &str,
    ) -> Result<(json::Program, Warnings)> {
        let arch = if self.of_2021 { &OF_2021 } else { &CURRENT };
        translate(arch, ir, sources, program_name)
    }

    fn function(
        &self,
        lower: &mut Lower<'_>,
        name: &str,
        type_args: &[Type],
        call: &ir::Call,
    ) -> Result<Option<Lowered>> {
        let is_lowered = self.of_2021 && lower.v1model_2021_function(name, call)?;
        if !is_lowered {
            lower.v1model_function(name, type_args, call)?;
        }
        Ok(None)
    }

    fn method(
        &self,
        lower: &mut Lower<'_>,
        instance: ExternId,
        method: &str,
        call: &ir::Call,
    ) -> Result<Option<Lowered>> {
        lower.v1model_method(instance, method, call)?;
        Ok(None)
    }

    fn property(
        &self,
        lower: &mut Lower<'_>,
        property: &ir::Property,
        table: &mut LoweredTable,
    ) -> Result<()> {
        lower.v1model_property(property, table)
    }

    fn check_table(&self, lower: &mut Lower<'_>, table: &ir::Table, lowered: &LoweredTable) {
        lower.warn_v1model_table(table, lowered);
    }

    fn match_kind(&self, kind: &str) -> Option<&'static str> {
        let known = ["exact", "lpm", "ternary", "range", "optional"];
        known.into_iter().find(|known| *known == kind)
    }

    fn rejects(&self, lower: &mut Lower<'_>, state: &ir::State) {
        lower.warnings.push((
            Warning::Unsupported,
            state.span,
            format!(
                "state {} can go to reject: v1model does not drop such packets, they go on to ingress",
                state.name
            ),
        ));
    }

    fn pads_headers(&self) -> bool {
        false
    }

    fn set_valid(&self) -> &'static str {
        "add_header"
    }
}

fn translate(
    arch: &'static V1Model,
    ir: &ir::Program,
    sources: &SourceMap,
    program_name: &str,
) -> Result<(json::Program, Warnings)> {
    let blocks = Blocks::of(ir)?;
    let mut lower = Lower::new(ir, arch, (), PARSER);
    let mut emitter = Emitter::new(ir, sources);
    emitter.program.program = program_name.to_owned();

    let parser = &ir.parsers[blocks.parser.index()];
    let state = PacketState::allocate(parser, &mut lower)?;
    state.bind(&mut lower, &parser.params, PARSER)?;
    let graph = lower.parser(blocks.parser, PARSER)?;
    let parser = emit::parser(graph, &mut lower.layout, sources, &ir.errors, &KIND)?;
    emitter.program.parsers.push(parser);

    let mut pipelines = Vec::new();
    let mut bodies = Vec::new();
    for (id, block) in blocks.controls {
        let control = &ir.controls[id.index()];
        state.bind(&mut lower, &control.params, block)?;
        let body = lower.control(id, block)?;
        match block {
            INGRESS => pipelines.push(("ingress", control, body)),
            EGRESS => pipelines.push(("egress", control, body)),
            _ => bodies.push((block, control, body)),
        }
    }
    for action in &lower.actions {
        let action = emitter.action(action)?;
        emitter.action_names.insert(&action.name);
        emitter.program.actions.push(action);
    }
    for (name, control, body) in pipelines {
        emitter.pipeline(name, control, body, &mut lower)?;
    }
    // As p4c does, computed checksums before verified ones.
    bodies.sort_by_key(|(block, ..)| *block == VERIFY_CHECKSUM);
    for (block, control, body) in bodies {
        match block {
            DEPARSER => emitter.deparser(control, body)?,
            _ => emitter.checksums(body, &mut lower.objects)?,
        }
    }
    emitter.forget_unwritten_tables(&mut lower);
    emitter.objects(&mut lower)?;
    program::finish(emitter, lower, &V1MODEL_ENUMS, ir.main_span)
}

/// The arguments of V1Switch.
struct Blocks {
    parser: ir::ParserId,
    controls: Vec<(ir::ControlId, Block)>,
}

impl Blocks {
    fn of(ir: &ir::Program) -> Result<Blocks> {
        let Some(main) = &ir.main else {
            return Err(Error::new(Span::default(), "the program has no `main`"));
        };
        if main.type_name != "V1Switch" {
            return not_supported(
                Span::default(),
                format_args!(
                    "package {}; BMv2's simple_switch runs V1Switch",
                    main.type_name
                ),
            );
        }
        let kinds = [
            PARSER,
            VERIFY_CHECKSUM,
            INGRESS,
            EGRESS,
            COMPUTE_CHECKSUM,
            DEPARSER,
        ];
        let mut parser = None;
        let mut controls = Vec::new();
        for ((_, value), block) in main.args.iter().zip(kinds) {
            match value {
                Value::Parser(id) => parser = Some(*id),
                Value::Control(id) => controls.push((*id, block)),
                _ => return not_supported(Span::default(), "this argument of V1Switch"),
            }
        }
        match parser {
            Some(parser) if controls.len() == 5 => Ok(Blocks { parser, controls }),
            _ => not_supported(Span::default(), "a V1Switch without all of its blocks"),
        }
    }
}

/// Parameters that all blocks share: headers, user metadata, standard metadata.
struct PacketState {
    headers: Place,
    metadata: Place,
    standard: Place,
}

impl PacketState {
    fn allocate(parser: &ir::Parser, lower: &mut Lower<'_>) -> Result<PacketState> {
        let &[_, headers, metadata, standard] = parser.params.as_slice() else {
            return not_supported(
                parser.span,
                "a parser that does not have V1Switch's parameters",
            );
        };
        let var = |id: ir::VarId| &lower.ir.vars[id.index()];
        let (headers, metadata, standard) = (var(headers), var(metadata), var(standard));
        for param in [headers, metadata] {
            let is_struct = matches!(lower.layout.class(&param.ty, param.span)?, Class::Struct(_));
            if !is_struct {
                return Err(Error::new(
                    param.span,
                    format_args!("`{}` must be a struct, for V1Switch", param.name),
                ));
            }
        }
        let Type::Named(standard_type) = standard.ty else {
            return not_supported(standard.span, "standard metadata of this type");
        };
        let standard = lower
            .layout
            .add_metadata(STANDARD_METADATA, standard_type, Vec::new())?;
        let headers_place = lower.layout.allocate("", &headers.ty, headers.span)?;
        let metadata_place = lower
            .layout
            .allocate("userMetadata", &metadata.ty, metadata.span)?;
        if let Type::Named(id) = metadata.ty {
            field_lists(id, &metadata_place, lower)?;
        }
        Ok(PacketState {
            headers: headers_place,
            metadata: metadata_place,
            standard,
        })
    }

    fn bind(&self, lower: &mut Lower<'_>, params: &[ir::VarId], block: Block) -> Result<()> {
        let (h, m, s) = (&self.headers, &self.metadata, &self.standard);
        let places: Vec<Option<&Place>> = match block.kind {
            BlockKind::Parser => vec![None, Some(h), Some(m), Some(s)],
            BlockKind::Checksums => vec![Some(h), Some(m)],
            BlockKind::Pipeline => vec![Some(h), Some(m), Some(s)],
            BlockKind::Deparser => vec![None, Some(h)],
        };
        for (&param, place) in params.iter().zip(places) {
            if let Some(place) = place {
                lower.bind(param, place.clone());
            }
        }
        Ok(())
    }
}

/// Lists of the user metadata's fields, by the numbers in `@field_list`.
fn field_lists(id: TypeId, place: &Place, lower: &mut Lower<'_>) -> Result<()> {
    let Place::Struct(members) = place else {
        return Ok(());
    };
    let fields = lower.layout.fields(id);
    for (field, member) in fields.iter().zip(members) {
        if let Some(list) = annotation::find(&field.annotations, "field_list") {
            let Some(numbers) = annotation::integers(list) else {
                return not_supported(list.span, "a @field_list of anything but integers");
            };
            for number in numbers {
                add_to_field_list(number, member, list.span, lower)?;
            }
        }
        if let Type::Named(inner) = *lower.layout.resolve(&field.ty) {
            field_lists(inner, member, lower)?;
        }
    }
    Ok(())
}

fn add_to_field_list(number: u64, place: &Place, span: Span, lower: &mut Lower<'_>) -> Result<()> {
    let objects = &mut lower.objects;
    let index = *objects.field_list_numbers.entry(number).or_insert_with(|| {
        objects.field_lists.push(FieldList {
            name: format!("field_list{number}"),
            elements: Vec::new(),
            span,
        });
        objects.field_lists.len() - 1
    });
    let mut only_fields = true;
    place.for_each(&mut |part| match part {
        Place::Scalar(Leaf {
            expr: Expr::Field(header, field),
            ..
        }) => {
            let element = Expr::Field(header.clone(), field.clone());
            if !objects.field_lists[index].elements.contains(&element) {
                objects.field_lists[index].elements.push(element);
            }
        }
        _ => only_fields = false,
    });
    if only_fields {
        Ok(())
    } else {
        not_supported(span, "a header in a @field_list")
    }
}
