// SPDX-FileCopyrightText: 2026 The Quench Authors
// SPDX-License-Identifier: Apache-2.0

//! The whole program: v1model's blocks, one after the other.

use quench_p4_frontend::ir::{self, Type, TypeDefKind, TypeId, Value};
use quench_p4_frontend::span::Span;
use quench_p4_frontend::SourceMap;

use crate::annotation;
use crate::emit::{self, Emitter};
use crate::error::{not_supported, Error, Result, Warnings};
use crate::json::{self, Expr};
use crate::layout::Class;
use crate::lower::{Block, FieldList, Lower};
use crate::place::{Leaf, Place};

/// Enums that v1model itself declares. The packet state never holds their values.
const V1MODEL_ENUMS: [&str; 4] = ["CounterType", "MeterType", "HashAlgorithm", "CloneType"];

/// The JSON model of a program, and warnings with their places.
pub fn translate(
    ir: &ir::Program,
    sources: &SourceMap,
    program_name: &str,
) -> Result<(json::Program, Warnings)> {
    let blocks = Blocks::of(ir)?;
    let mut lower = Lower::new(ir);
    let mut emitter = Emitter::new(ir, sources);
    emitter.program.program = program_name.to_owned();

    let parser = &ir.parsers[blocks.parser.index()];
    let state = PacketState::allocate(parser, &mut lower)?;
    state.bind(&mut lower, &parser.params, Block::Parser)?;
    let graph = lower.parser(blocks.parser)?;
    let parser = emit::parser(graph, &mut lower.layout, sources, &ir.errors)?;
    emitter.program.parsers.push(parser);

    let mut pipelines = Vec::new();
    let mut bodies = Vec::new();
    for (id, block) in blocks.controls {
        let control = &ir.controls[id.index()];
        state.bind(&mut lower, &control.params, block)?;
        let body = lower.control(id, block)?;
        match block {
            Block::Ingress => pipelines.push(("ingress", control, body)),
            Block::Egress => pipelines.push(("egress", control, body)),
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
    bodies.sort_by_key(|(block, ..)| *block == Block::VerifyChecksum);
    for (block, control, body) in bodies {
        match block {
            Block::Deparser => emitter.deparser(control, body)?,
            _ => emitter.checksums(body, &mut lower.objects)?,
        }
    }
    emitter.objects(&mut lower)?;
    emitter.calculations(&lower.objects);
    lists(&mut emitter, &lower);
    value_sets(&mut emitter, &lower)?;
    names(&mut emitter.program, ir);
    lower.layout.finish(ir.main_span)?;
    let program = &mut emitter.program;
    program.header_types = lower.layout.types;
    program.headers = lower.layout.headers;
    program.header_stacks = lower.layout.stacks;
    program.header_union_types = lower.layout.union_types;
    program.header_unions = lower.layout.unions;
    program.header_union_stacks = lower.layout.union_stacks;
    program.field_aliases = lower.layout.aliases;
    Ok((emitter.program, lower.warnings))
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
            Block::Parser,
            Block::VerifyChecksum,
            Block::Ingress,
            Block::Egress,
            Block::ComputeChecksum,
            Block::Deparser,
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
        let standard = lower.layout.add_standard_metadata(standard_type)?;
        let headers_place = lower.layout.allocate("", &headers.ty, headers.span)?;
        let metadata_place = lower
            .layout
            .allocate("userMetadata", &metadata.ty, metadata.span)?;
        if let Type::Named(id) = metadata.ty {
            field_lists(id, &metadata_place, lower)?;
        }
        lower.set_standard_metadata(standard.clone());
        Ok(PacketState {
            headers: headers_place,
            metadata: metadata_place,
            standard,
        })
    }

    fn bind(&self, lower: &mut Lower<'_>, params: &[ir::VarId], block: Block) -> Result<()> {
        let (h, m, s) = (&self.headers, &self.metadata, &self.standard);
        let places: Vec<Option<&Place>> = match block {
            Block::Parser => vec![None, Some(h), Some(m), Some(s)],
            Block::VerifyChecksum | Block::ComputeChecksum => vec![Some(h), Some(m)],
            Block::Ingress | Block::Egress => vec![Some(h), Some(m), Some(s)],
            Block::Deparser => vec![None, Some(h)],
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

fn lists(emitter: &mut Emitter<'_>, lower: &Lower<'_>) {
    let convert = |lists: &[FieldList], emitter: &Emitter<'_>| {
        lists
            .iter()
            .enumerate()
            .map(|(index, list)| json::FieldList {
                // simple_switch takes 0 for "no list".
                id: index + 1,
                name: list.name.clone(),
                source_info: emitter.source_info(list.span),
                elements: list.elements.clone(),
            })
            .collect()
    };
    emitter.program.field_lists = convert(&lower.objects.field_lists, emitter);
    emitter.program.learn_lists = convert(&lower.objects.learn_lists, emitter);
}

fn value_sets(emitter: &mut Emitter<'_>, lower: &Lower<'_>) -> Result<()> {
    for (id, set) in lower.objects.value_sets.iter().enumerate() {
        let set = &emitter.ir.value_sets[set.index()];
        let vset = json::ParseVset {
            name: set.name.clone(),
            id,
            compressed_bitwidth: lower.value_set_bits(&set.element)?,
            max_size: set.size,
        };
        emitter.program.parse_vsets.push(vset);
    }
    Ok(())
}

/// Names of errors and enum members, for logs and tools.
fn names(program: &mut json::Program, ir: &ir::Program) {
    program.errors = ir.errors.iter().cloned().zip(0..).collect();
    for def in &ir.types {
        if let TypeDefKind::Enum(members) = &def.kind {
            if !V1MODEL_ENUMS.contains(&def.name.as_str()) {
                program.enums.push(json::Enum {
                    name: def.name.clone(),
                    entries: members.iter().cloned().zip(0..).collect(),
                });
            }
        }
    }
}
